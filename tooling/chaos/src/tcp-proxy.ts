import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** What a proxy does to the bytes that pass it. */
export interface Weather {
  /** Nothing passes any more, in either direction, and neither side hears of it: what comes is thrown away. */
  swallow: boolean;
  /** How long each packet takes in addition, in milliseconds. */
  delayMs: () => number;
  /** Asked when a COMMIT comes by: cut the connection before it reaches the server, after it did, or not at all. */
  cutCommit: () => 'before' | 'after' | null;
}

/** A way to the database server with weather on it. */
export interface TcpProxy {
  readonly host: string;
  readonly port: number;
  readonly weather: Weather;
  /** How many packets were swallowed so far. */
  readonly swallowed: number;
  /** Ends the connections that are open. New ones are let in. */
  cut(): void;
  close(): Promise<void>;
}

const FAIR: Readonly<Weather> = { swallow: false, delayMs: () => 0, cutCommit: () => null };

/** How long the server has to take the COMMIT before its connection is cut, in milliseconds. */
const COMMIT_MS = 30;

/** Listens on a port of its own. @param server Where it is now: asked for each connection. */
export async function startProxy(
  server: () => { readonly host: string; readonly port: number },
): Promise<TcpProxy> {
  const weather: Weather = { ...FAIR };
  const sockets = new Set<Socket>();
  let swallowed = 0;

  function cutBoth(client: Socket, upstream: Socket): void {
    client.resetAndDestroy();
    upstream.destroy();
  }

  const listener = createServer((client) => {
    const { host, port } = server();
    const upstream = connect(port, host);
    pass(client, upstream, (chunk) => {
      const cut = isCommit(chunk) ? weather.cutCommit() : null;
      if (cut === null) return true;
      if (cut === 'before') {
        cutBoth(client, upstream);
        return false;
      }
      // The server gets it; its answer finds nobody.
      client.resetAndDestroy();
      setTimeout(() => upstream.destroy(), COMMIT_MS);
      return true;
    });
    pass(upstream, client, () => true);
  });

  function pass(from: Socket, to: Socket, lets: (chunk: Buffer) => boolean): void {
    sockets.add(from);
    from.setNoDelay(true);
    // What comes later never overtakes: each timer lets the first of those go that wait.
    const waiting: Buffer[] = [];
    let due = 0;
    const leftMs = (): number => Math.max(0, due - performance.now());
    const write = (chunk: Buffer): void => {
      if (!to.destroyed && !weather.swallow) to.write(chunk);
    };
    from.on('data', (chunk) => {
      if (weather.swallow) swallowed += 1;
      if (weather.swallow || !lets(chunk)) return;
      const delay = weather.delayMs();
      if (delay === 0 && waiting.length === 0) return write(chunk);
      waiting.push(chunk);
      due = Math.max(due, performance.now() + delay);
      setTimeout(() => {
        const first = waiting.shift();
        if (first) write(first);
      }, leftMs());
    });
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      // While packets are swallowed, the end of a connection is one of them.
      if (!weather.swallow) setTimeout(() => to.destroy(), waiting.length > 0 ? leftMs() : 0);
    });
  }

  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('The listener has no port.');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    host: '127.0.0.1',
    port: address.port,
    weather,
    get swallowed() {
      return swallowed;
    },
    cut,
    async close() {
      const closed = once(listener, 'close');
      listener.close();
      cut();
      await closed;
    },
  };
}

/** The simple statement COMMIT, as either client sends it. */
function isCommit(chunk: Buffer): boolean {
  return chunk.length < 200 && /\bCOMMIT\b/i.test(chunk.toString('latin1'));
}
