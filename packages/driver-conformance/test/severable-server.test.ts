import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { severableServer } from '../src/severable-server.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Answers every piece with itself, and tells when a connection has ended. */
async function echo(): Promise<{ host: string; port: number; ended: Promise<void> }> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('close', () => resolve());
    socket.pipe(socket);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (!isInet(address)) throw new Error('no port');
  return { host: '127.0.0.1', port: address.port, ended };
}

function isInet(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

test('passes on what both ends say', async () => {
  const between = await severableServer(await echo());
  const socket = connect(between.port, between.host);
  socket.write('row');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toBe('row');
  socket.destroy();
  await between.sever();
});

test('severed, ends the connections at both ends and lets no more in', async () => {
  const server = await echo();
  const between = await severableServer(server);
  const socket = connect(between.port, between.host).on('error', () => {});
  socket.write('row');
  await once(socket, 'data');
  const closed = once(socket, 'close');
  await between.sever();
  await between.sever();
  await closed;
  await server.ended;
  const refused = connect(between.port, between.host);
  await expect(once(refused, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('swallowing, lets nothing pass and ends nothing, for new connections too', async () => {
  const server = await echo();
  const between = await severableServer(server);
  const socket = connect(between.port, between.host).on('error', () => {});
  socket.write('before');
  await once(socket, 'data');
  between.swallow();
  const late = connect(between.port, between.host).on('error', () => {});
  await once(late, 'connect');
  for (const each of [socket, late]) each.on('data', (data) => expect(String(data)).toBe('nothing'));
  await Promise.all([socket, late].map((each) => new Promise((resolve) => each.write('after', resolve))));
  const ended = server.ended.then(() => 'ended');
  socket.destroy();
  await once(socket, 'close');
  expect(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 50, 'open'))])).toBe('open');
  await between.sever();
  expect(await ended).toBe('ended');
});

test("a client's end is the server's", async () => {
  const server = await echo();
  const between = await severableServer(server);
  const socket = connect(between.port, between.host);
  socket.write('row');
  await once(socket, 'data');
  socket.destroy();
  await server.ended;
  await between.sever();
});

test('cut, ends the connections that there are, and lets new ones in', async () => {
  const server = await echo();
  const between = await severableServer(server);
  const socket = connect(between.port, between.host).on('error', () => {});
  socket.write('row');
  await once(socket, 'data');
  const [before] = between.connections;
  const closed = once(socket, 'close');
  between.cut();
  await closed;
  await server.ended;
  const next = connect(between.port, between.host);
  next.write('again');
  const [answer] = await once(next, 'data');
  expect(String(answer)).toBe('again');
  expect(between.connections).toHaveLength(1);
  expect(between.connections).not.toContain(before);
  next.destroy();
  await between.sever();
});

test('forgotten, a connection passes nothing on, and neither end learns of the other one', async () => {
  const server = await echo();
  let ended = false;
  void server.ended.then(() => (ended = true));
  const between = await severableServer(server);
  const heard: string[] = [];
  const socket = connect(between.port, between.host).on('data', (bytes) => heard.push(String(bytes)));
  socket.write('row');
  await once(socket, 'data');
  between.forget();
  expect(between.connections).toEqual([]);
  socket.write('nobody hears this');
  const next = connect(between.port, between.host);
  next.write('again');
  const [answer] = await once(next, 'data');
  expect(String(answer)).toBe('again');
  const closed = once(socket, 'close');
  socket.destroy();
  await closed;
  next.write('and again');
  await once(next, 'data');
  expect(heard).toEqual(['row']);
  expect(ended).toBe(false);
  next.destroy();
  await between.sever();
  await server.ended;
});
