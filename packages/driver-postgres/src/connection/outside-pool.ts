import { answerWithin } from '@rowlock/core/driver';
import pg from 'pg';
import { toUnsent } from '../errors.js';
import { DEFAULTS } from '../options.js';
import { cut } from './connection.js';

/**
 * A worker's own connections, outside the pool. They are opened as the pool opens its connections, with the application's hooks for a
 * new one: the option `onConnect`, and the listeners of `connect` and `remove`. A hook may be what gives the session its rights.
 */
export class OutsidePool {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** A connection that is not open yet. */
  client(): pg.Client {
    const { options } = this.#pool;
    const { keepAliveInitialDelayMillis, connectionTimeoutMillis } = DEFAULTS;
    return new pg.Client({
      ...options,
      // One statement at a time: a pipelining connection waits at its end for a silent server.
      pipeline: false,
      // The pool hides its password from copies, so that no log shows it by accident.
      password: options.password,
      keepAlive: true,
      keepAliveInitialDelayMillis: options.keepAliveInitialDelayMillis ?? keepAliveInitialDelayMillis,
      connectionTimeoutMillis: options.connectionTimeoutMillis || connectionTimeoutMillis,
    });
  }

  /** Works on a connection that is opened for it, and closed behind it. */
  async with<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
    const client = await this.opened();
    try {
      return await work(client);
    } finally {
      await this.end(client);
    }
  }

  /** Ends a connection, and cuts it where the server is silent. Never rejects. */
  async end(client: pg.Client): Promise<void> {
    await answerWithin(DEFAULTS.connectionTimeoutMillis, client.end(), () => cut(client)).catch(() => {});
  }

  /** A connection that is open. One that breaks does not end the process: its pending statement fails. @throws DriverError */
  async opened(): Promise<pg.Client> {
    const client = this.client();
    client.on('error', () => {});
    try {
      await this.open(client);
      return client;
    } catch (error) {
      throw toUnsent(error);
    }
  }

  /** Opens a connection. Rejects with the client's error, or with that of `onConnect`. */
  async open(client: pg.Client): Promise<void> {
    await client.connect();
    const { onConnect } = this.#pool.options;
    if (onConnect !== undefined) {
      const hooked = Promise.resolve(onConnect(client));
      await answerWithin(DEFAULTS.connectionTimeoutMillis, hooked, () => cut(client));
    }
    client.once('end', () => this.#pool.emit('remove', client));
    this.#pool.emit('connect', client);
  }
}
