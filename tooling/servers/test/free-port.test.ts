import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { freePort } from '../src/index.js';

const holders: Server[] = [];

afterEach(() => {
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
