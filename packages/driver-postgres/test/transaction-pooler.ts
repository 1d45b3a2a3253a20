import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import pg from 'pg';

/** The name of the pooler's own sessions on the server. */
export const POOLER = 'pooler';

export interface TransactionPooler {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

export interface PoolerOptions {
  /** How many sessions it opens at most; further clients wait. Default 60. */
  readonly most?: number;
  /** Which of the free sessions is given first: the one that was used last, as PgBouncer does, or the one that was not. */
  readonly order?: 'newest' | 'oldest';
}

/** A session with the server, and whose it is now. */
interface Backend {
  readonly socket: Duplex;
  client: PooledClient | null;
}

/**
 * What PgBouncer does in transaction mode: clients share sessions, each of which is one client's for the time of a
 * transaction. It lets everybody in, as the user of `url`.
 */
export async function transactionPooler(
  url: string,
  { most = 60, order = 'newest' }: PoolerOptions = {},
): Promise<TransactionPooler> {
  const free: Backend[] = [];
  const waiting: PooledClient[] = [];
  const all = new Set<Duplex>();
  let count = 0;

  const give = (backend: Backend, client: PooledClient): void => {
    backend.client = client;
    client.take(backend);
  };

  const pool: Pool = {
    want(client) {
      const backend = order === 'newest' ? free.pop() : free.shift();
      if (backend !== undefined) return give(backend, client);
      waiting.push(client);
      if (count < most) void open();
    },
    giveBack(backend) {
      backend.client = null;
      const next = waiting.shift();
      if (next === undefined) free.push(backend);
      else give(backend, next);
    },
    leave(client) {
      const place = waiting.indexOf(client);
      if (place !== -1) waiting.splice(place, 1);
    },
  };

  /** The client package knows how to log in; after that the socket is taken from it. */
  async function open(): Promise<void> {
    count += 1;
    const client = new pg.Client({ connectionString: url, application_name: POOLER });
    client.on('error', () => {});
    try {
      await client.connect();
    } catch {
      count -= 1;
      return;
    }
    const socket = client.connection.stream;
    socket.removeAllListeners('data');
    const backend: Backend = { socket, client: null };
    const frames = new Frames();
    all.add(socket);
    socket.on('data', (bytes: Buffer) => {
      for (const frame of frames.of(bytes)) backend.client?.answer(frame);
    });
    socket.on('close', () => {
      count -= 1;
      all.delete(socket);
      const place = free.indexOf(backend);
      if (place !== -1) free.splice(place, 1);
      backend.client?.end();
      if (waiting.length > 0 && count < most) void open();
    });
    pool.giveBack(backend);
  }

  const listener = createServer((socket) => {
    all.add(socket);
    socket.on('close', () => all.delete(socket));
    new PooledClient(socket, pool);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('The listener has no port.');
  return {
    host: '127.0.0.1',
    port: address.port,
    async close() {
      const closed = once(listener, 'close');
      listener.close();
      for (const socket of all) socket.destroy();
      await closed;
    },
  };
}

interface Pool {
  /** Gives the client a session, now or later. */
  want(client: PooledClient): void;
  giveBack(backend: Backend): void;
  /** The client waits no more. */
  leave(client: PooledClient): void;
}

const READY = Buffer.from([90, 0, 0, 0, 5, 73]);

/** One client: it has a session from its first message until the server says that no transaction is open. */
class PooledClient {
  readonly #socket: Socket;
  readonly #pool: Pool;
  readonly #frames = new Frames();
  readonly #unsent: Buffer[] = [];
  #backend: Backend | null = null;
  #isWaiting = false;
  #isOpen = false;
  /** How many answers are still to be finished. */
  #asked = 0;

  constructor(socket: Socket, pool: Pool) {
    this.#socket = socket;
    this.#pool = pool;
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    socket.on('close', () => this.#leave());
  }

  take(backend: Backend): void {
    this.#isWaiting = false;
    this.#backend = backend;
    for (const frame of this.#unsent.splice(0)) this.#ask(frame);
  }

  answer(frame: Buffer): void {
    this.#socket.write(frame);
    const [type, status] = [frame[0], frame[5]];
    if (type !== 90) return;
    this.#asked -= 1;
    if (this.#asked > 0 || status !== 73 || this.#backend === null) return;
    const backend = this.#backend;
    this.#backend = null;
    this.#pool.giveBack(backend);
  }

  end(): void {
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    for (const frame of this.#frames.of(bytes, this.#isOpen ? 1 : 0)) {
      if (this.#isOpen) this.#hear(frame);
      else this.#greet(frame);
    }
  }

  /** The first message says who it is; everybody is let in. */
  #greet(frame: Buffer): void {
    this.#isOpen = true;
    // No encryption, no cancelling of statements.
    if (frame.readInt32BE(4) !== 196_608) this.end();
    const authenticated = Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 0]);
    const key = Buffer.from([75, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 1]);
    this.#socket.write(Buffer.concat([authenticated, key, READY]));
  }

  #hear(frame: Buffer): void {
    if (frame[0] === 88) this.end();
    else if (this.#backend !== null) this.#ask(frame);
    else this.#wait(frame);
  }

  #wait(frame: Buffer): void {
    this.#unsent.push(frame);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#pool.want(this);
  }

  #ask(frame: Buffer): void {
    // Query and Sync are answered by a ReadyForQuery.
    if (frame[0] === 81 || frame[0] === 83) this.#asked += 1;
    this.#backend?.socket.write(frame);
  }

  /** What it left open is ended with the session. */
  #leave(): void {
    this.#pool.leave(this);
    this.#backend?.socket.destroy();
    this.#backend = null;
  }
}

/** Cuts a stream into messages: a letter, and a length that counts itself. The first one of a client has no letter. */
class Frames {
  #rest = Buffer.alloc(0);

  *of(bytes: Buffer, letters = 1): Generator<Buffer> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (let head = letters; this.#rest.length >= head + 4; head = 1) {
      const length = head + this.#rest.readInt32BE(head);
      if (this.#rest.length < length) return;
      const frame = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      yield frame;
    }
  }
}
