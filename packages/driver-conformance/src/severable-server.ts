import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** A way to the database server that can be cut. */
export interface SeverableServer {
  readonly host: string;
  readonly port: number;
  /** The connections that pass something on. Another connection has another name. */
  readonly connections: readonly string[];
  /** Ends every connection at once, and lets new ones in. */
  cut(): void;
  /** Does so as soon as the clients have sent so many more pieces, the last of which passes on no more. 0: never. */
  cutAt(pieces: number): void;
  /** How many pieces are to come until then. 0: it has happened, or nothing is to happen. */
  readonly piecesLeft: number;
  /**
   * From now on every connection that there is passes nothing on, and neither end is told, not even when the other one ends:
   * what a firewall does that has forgotten them. New ones are let in.
   */
  forget(): void;
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
  const clients = new Map<Socket, string>();
  const forgotten = new Set<Socket>();
  let swallowed = false;
  let opened = 0;
  let left = 0;
  const listener = createServer((client) => {
    if (swallowed) return keep(client);
    const upstream = connect(server.port, server.host);
    clients.set(client, `connection ${++opened}`);
    join(client, upstream, counted());
    join(upstream, client);
  });

  function join(socket: Socket, other: Socket, through?: Transform): void {
    keep(socket);
    socket.setNoDelay(true);
    if (through === undefined) socket.pipe(other);
    else socket.pipe(through).pipe(other);
    // Either end's end is the other's: a connection does not live on by half.
    socket.on('close', () => {
      clients.delete(socket);
      if (!forgotten.has(socket)) other.destroy();
    });
  }

  function counted(): Transform {
    return new Transform({
      transform(piece, _, done) {
        if (left === 0 || --left > 0) done(null, piece);
        else cut();
      },
    });
  }

  function cut(): void {
    for (const socket of sockets) socket.destroy();
  }

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  }

  function forget(): void {
    for (const socket of sockets) {
      forgotten.add(socket);
      socket.unpipe();
      // What still comes is read, and thrown away.
      socket.resume();
    }
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
      forget();
    },
    forget,
    cut,
    cutAt(pieces) {
      left = pieces;
    },
    get piecesLeft() {
      return left;
    },
    get connections() {
      return [...clients].filter(([socket]) => !forgotten.has(socket)).map(([, name]) => name);
    },
  };
}
