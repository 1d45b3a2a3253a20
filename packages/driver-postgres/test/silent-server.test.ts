import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { expect, inject, onTestFinished, test } from 'vitest';
import { postgres } from '../src/index.js';

const WELCOME = Buffer.concat([
  Buffer.from('R\0\0\0\x08\0\0\0\0', 'latin1'),
  Buffer.from('Z\0\0\0\x05I', 'latin1'),
]);

test('a connection whose statement is not answered is closed', async () => {
  const open = new Set<Socket>();
  let opened = 0;
  const server = createServer((socket) => {
    opened += 1;
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
    socket.once('data', () => socket.write(WELCOME));
    socket.resume();
  });
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const place = { host: '127.0.0.1', port, user: 'u', database: 'd' };
  const driver = postgres({ ...place, maxConnections: 2, answerTimeout: 50 });
  onTestFinished(() => driver.close());
  const survey = () => driver.survey({ queues: ['q'], kinds: ['k'] });
  for (let asked = 0; asked < 4; asked++) {
    await expect(survey()).rejects.toMatchObject({ code: 'ConnectionLost' });
  }
  expect(opened).toBe(4);
  await expect.poll(() => open.size, { timeout: 5_000 }).toBe(0);
});

for (const sessions of ['own', 'shared'] as const) {
  test(`a worker's session that is not answered on is closed, where sessions are ${sessions}`, async () => {
    const fresh = await freshDatabase(inject('postgresUrl'));
    onTestFinished(() => fresh.drop());
    const url = new URL(fresh.url);
    const [host, port] = [url.hostname, Number(url.port)];
    const open = new Set<Socket>();
    let isSilent = false;
    const proxy = createServer((socket) => {
      const server = connect(port, host);
      open.add(socket);
      for (const [from, to] of [
        [socket, server],
        [server, socket],
      ] as const) {
        from.on('error', () => {});
        from.on('data', (data) => isSilent || to.write(data));
        from.on('close', () => isSilent || to.destroy());
      }
      socket.on('close', () => open.delete(socket));
      onTestFinished(() => {
        server.destroy();
      });
    });
    onTestFinished(() => {
      for (const socket of open) socket.destroy();
      proxy.close();
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const address = proxy.address();
    url.hostname = '127.0.0.1';
    url.port = String(typeof address === 'object' ? address?.port : 0);
    const driver = postgres({ connectionString: url.href, answerTimeout: 200, sessions });
    await driver.migrate();
    const anchor = await driver.anchor({ name: 'worker', host: 'host', pid: 1, queues: ['q'] });
    isSilent = true;
    await anchor.release().catch(() => {});
    await driver.close();
    await expect.poll(() => open.size, { timeout: 5_000 }).toBe(0);
  });
}
