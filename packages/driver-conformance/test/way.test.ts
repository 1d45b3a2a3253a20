import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type Way, wayTo } from '../src/way.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listening(): Promise<{ server: Server; place: { host: string; port: number } }> {
  const server = createServer();
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { server, place: { host: '127.0.0.1', port: address.port } };
}

function socketOf(way: Way): Socket {
  if (way.stream === undefined) throw new Error('This way makes no sockets.');
  return way.stream();
}

test('severed, ends its sockets at both ends, and no new one connects', async () => {
  const { server, place } = await listening();
  const way = await wayTo(place, false);
  const socket = socketOf(way).connect(way.port, way.host);
  const [theirs] = await once(server, 'connection');
  const ended = once(theirs.resume(), 'close');
  await way.sever();
  await way.sever();
  await ended;
  expect(socket.destroyed).toBe(true);
  const refused = socketOf(way).connect(way.port, way.host);
  await expect(once(refused, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('has a cable only where one was asked for', async () => {
  const { place } = await listening();
  const without = await wayTo(place, false);
  expect(() => without.cable()).toThrow('open it with `cable: true`');
  const way = await wayTo(place, true);
  expect(way.cable().port).toBe(way.port);
  await way.sever();
});
