import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A way to the server of a URL, on which the server falls silent: what is sent then is lost, and neither end is told. */
export async function silenced(url: string) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let lost: (() => void) | undefined;
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from.on('error', () => {}));
      from.on('data', (piece) => (lost === undefined ? to.write(piece) : lost()));
      from.on('close', () => lost === undefined && to.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  const own = new URL(url);
  own.hostname = '127.0.0.1';
  own.port = String(Object(proxy.address()).port);
  return {
    url: own.href,
    /** Falls silent. Resolves when something has been lost. */
    silence: () =>
      new Promise<void>((resolve) => {
        lost = resolve;
      }),
  };
}
