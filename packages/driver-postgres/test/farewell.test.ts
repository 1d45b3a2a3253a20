import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { postgres } from '../src/index.js';

test("a server's farewell that comes together with its welcome does not end the process", async () => {
  const welcome = message('R', Buffer.alloc(4));
  const ready = message('Z', Buffer.from('I'));
  const farewell = message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0'));
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.concat([welcome, ready, farewell])));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const driver = postgres({
    host: '127.0.0.1',
    ...(port !== undefined && { port }),
    user: 'u',
    database: 'd',
  });
  // An error that nobody catches would fail the run.
  await expect(driver.schema.verify()).rejects.toMatchObject({ code: 'ConnectionLost' });
  await expect(driver.claims.session({ idleLimitMs: 1_000 }).confirm()).rejects.toMatchObject({
    code: 'ConnectionLost',
  });
  await driver.close();
  server.close();
});

/** A message of the server's, as the protocol has it: its letter, its length, what it says. */
function message(letter: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
