import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Where a connection is cut at its COMMIT: before the server gets it, or after the server has answered it. */
export type CutAt = 'the way there' | 'the way back';

/** A way to the server on which each connection ends at its first COMMIT. */
export interface CommitCutter {
  readonly url: string;
  close(): Promise<void>;
}

export async function commitCutter(url: string, cutAt: CutAt): Promise<CommitCutter> {
  const server = new URL(url);
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    const upstream = connect(Number(server.port), server.hostname);
    let isCut = false;
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', cut);
      socket.on('close', cut);
    }
    client.on('data', (bytes) => {
      isCut ||= bytes.includes('COMMIT');
      if (isCut && cutAt === 'the way there') cut();
      else upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (isCut) cut();
      else client.write(bytes);
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('The listener has no port.');
  const own = new URL(url);
  own.hostname = '127.0.0.1';
  own.port = String(address.port);
  return {
    url: own.href,
    async close() {
      const closed = once(listener, 'close');
      listener.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
