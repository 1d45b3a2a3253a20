import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { freePort, onFreePort, onPortAgain } from '../src/index.js';

const holders: Server[] = [];

afterEach(() => {
  for (const holder of holders.splice(0)) holder.close();
});

async function hold(host: string, wanted = 0): Promise<number> {
  const holder = createServer().listen(wanted, host);
  await once(holder, 'listening');
  holders.push(holder);
  const address = holder.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

/** A port that was free the moment before. */
async function released(): Promise<number> {
  const port = await hold('127.0.0.1');
  const [holder] = holders.splice(-1);
  holder?.close();
  if (holder) await once(holder, 'close');
  return port;
}

const hasIpv6 = await hold('::1').then(
  () => true,
  () => false,
);

test('a port that is free is the wanted one', async () => {
  // Another process may take it the moment that it is released.
  await expect
    .poll(async () => {
      const port = await released();
      return (await freePort(port)) === port;
    })
    .toBe(true);
});

test.each(['127.0.0.1', '0.0.0.0'])('a port that is taken on %s gives way to another', async (host) => {
  const taken = await hold(host);
  expect(await freePort(taken)).not.toBe(taken);
});

// Browsers try it first for localhost.
test.runIf(hasIpv6).each(['::1', '::'])('so does one that is taken on %s', async (host) => {
  const taken = await hold(host);
  expect(await freePort(taken)).not.toBe(taken);
});

test('those who ask at the same time get different ports', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  expect(new Set(ports).size).toBe(50);
});

test('a server whose port is taken before it listens is started on another', async () => {
  const tried: number[] = [];
  const { port, server } = await onFreePort(undefined, 'EADDRINUSE', async (wanted) => {
    tried.push(wanted);
    // Somebody is faster, twice.
    if (tried.length <= 2) await hold('127.0.0.1', wanted).catch(() => undefined);
    return hold('127.0.0.1', wanted);
  });
  expect(server).toBe(port);
  expect(tried.length).toBeGreaterThanOrEqual(3);
  expect(tried.at(-1)).toBe(port);
});

test('any other error of the start is passed on', async () => {
  const started = onFreePort(undefined, 'EADDRINUSE', async () => {
    throw new Error('no such program');
  });
  await expect(started).rejects.toThrow('no such program');
});

test('a server that starts again on its port waits for who has it', async () => {
  const port = await hold('127.0.0.1');
  let tried = 0;
  const server = await onPortAgain(port, 'EADDRINUSE', async (wanted) => {
    tried += 1;
    if (tried === 3) for (const holder of holders.splice(0)) holder.close();
    return hold('127.0.0.1', wanted);
  });
  expect(server).toBe(port);
  expect(tried).toBeGreaterThanOrEqual(3);
});
