import { once } from 'node:events';
import { createServer, Server } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { freePort } from '../src/index.js';

const holders: Server[] = [];

afterEach(() => {
  vi.restoreAllMocks();
  for (const holder of holders.splice(0)) holder.close();
});

async function hold(host: string): Promise<number> {
  const holder = createServer().listen(0, host);
  holders.push(holder);
  await once(holder, 'listening');
  const address = holder.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

const hasIpv6 = await hold('::1').then(
  () => true,
  () => false,
);

test('a port that is free is the wanted one', async () => {
  const port = await freePort();
  expect(await freePort(port)).toBe(port);
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

test.runIf(hasIpv6)('so do several that the system picks, when somebody has them on ::1', async () => {
  const { listen } = Server.prototype;
  const taken: unknown[] = [];
  vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args: unknown[]) {
    const [port, host] = args;
    const go = (): Server => Reflect.apply(listen, this, args);
    if (host !== '::1' || taken.length === 5) return go();
    taken.push(port);
    const holder = createServer();
    holders.push(holder);
    Reflect.apply(listen, holder, [port, host, go]);
    return this;
  });
  expect(taken).not.toContain(await freePort());
  expect(taken).toHaveLength(5);
});
