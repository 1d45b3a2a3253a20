import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
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
