import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to the database server that can be cut. */
export interface SeverableServer {
  readonly host: string;
  readonly port: number;
  /** Ends every connection at once and lets no new one in: what the server sees of a process that was killed. */
  sever(): Promise<void>;
  /**
   * From now on nothing passes, either way, and nothing ends: what is seen of the other end when a cable is pulled out. New
   * connections are let in, and nobody answers on them.
   */
  swallow(): void;
}

/**
 * Listens on a port of its own and passes everything on to the server, so that one driver can be cut off as if
 * its process had been killed while the test's process lives on.
 */
export async function severableServer(server: {
  readonly host: string;
  readonly port: number;
}): Promise<SeverableServer> {
  const sockets = new Set<Socket>();
  let swallowed = false;
  const listener = createServer((client) => {
    if (swallowed) return keep(client);
    const upstream = connect(server.port, server.host);
    join(client, upstream);
    join(upstream, client);
  });

  function join(socket: Socket, other: Socket): void {
    keep(socket);
    socket.setNoDelay(true);
    socket.pipe(other);
    // Either end's end is the other's: a connection does not live on by half.
    socket.on('close', () => {
      if (!swallowed) other.destroy();
    });
  }

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  }

  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('The listener has no port.');
  return {
    host: '127.0.0.1',
    port: address.port,
    async sever() {
      const closed = listener.listening ? once(listener, 'close') : undefined;
      listener.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    swallow() {
      swallowed = true;
      for (const socket of sockets) {
        socket.unpipe();
        // What still comes is read, and thrown away.
        socket.resume();
      }
    },
  };
}
