import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { startProxy, type TcpProxy } from '../src/tcp-proxy.js';

/** A client of a server that answers everything with itself, by way of a proxy. */
async function conversation<Result>(
  talk: (proxy: TcpProxy, client: Socket, heard: () => string) => Promise<Result>,
): Promise<Result> {
  let heard = '';
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      heard += chunk;
      socket.write(chunk);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const proxy = await startProxy(() => ({ host: '127.0.0.1', port }));
  const client = connect(proxy.port, proxy.host);
  client.on('error', () => {});
  try {
    await once(client, 'connect');
    return await talk(proxy, client, () => heard);
  } finally {
    client.destroy();
    await proxy.close();
    server.close();
  }
}

/** Its end, with an error or without. */
function closed(client: Socket): Promise<void> {
  return new Promise((resolve) => client.once('close', () => resolve()));
}

/** Everything that comes, until it is so many letters. */
async function hears(client: Socket, letters: number): Promise<string> {
  let text = '';
  while (text.length < letters) text += String((await once(client, 'data'))[0]);
  return text;
}

test('latency keeps the order', () =>
  conversation(async ({ weather }, client) => {
    const delays = [30, 1, 20, 0, 5];
    weather.delayMs = () => delays.shift() ?? 0;
    for (const letter of 'abcde') {
      client.write(letter);
      await new Promise(setImmediate);
    }
    expect(await hears(client, 5)).toBe('abcde');
  }));

test('what is swallowed is not heard, and no error comes', () =>
  conversation(async (proxy, client, heard) => {
    const { weather } = proxy;
    weather.swallow = true;
    client.write('lost');
    await expect.poll(() => proxy.swallowed).toBeGreaterThan(0);
    weather.swallow = false;
    client.write('kept');
    expect(await hears(client, 4)).toBe('kept');
    expect(heard()).toBe('kept');
    expect(client.destroyed).toBe(false);
  }));

test('a COMMIT is cut before the server has it', () =>
  conversation(async ({ weather }, client, heard) => {
    weather.cutCommit = () => 'before';
    client.write('SELECT 1');
    await hears(client, 8);
    client.write('COMMIT');
    await closed(client);
    expect(heard()).toBe('SELECT 1');
  }));

test('a COMMIT is cut after it has gone to the server, whose answer is lost', () =>
  conversation(async ({ weather }, client, heard) => {
    weather.cutCommit = () => 'after';
    client.on('data', () => expect.unreachable('an answer'));
    client.write('COMMIT');
    await closed(client);
    await expect.poll(heard).toBe('COMMIT');
  }));

test('connections are cut, and new ones let in', () =>
  conversation(async (proxy, client) => {
    client.write('one');
    await hears(client, 3);
    proxy.cut();
    await closed(client);
    const again = connect(proxy.port, proxy.host);
    again.write('two');
    expect(await hears(again, 3)).toBe('two');
    again.destroy();
  }));
