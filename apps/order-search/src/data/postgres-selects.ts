import pg from 'pg';
import { untilGivenUp } from './until-given-up.js';

/** Runs SELECTs that can be given up: the server ends them too, so that they do not go on for nobody. */
export class PostgresSelects {
  readonly #pool: pg.Pool;
  /** Of its own, because all connections of the other pool may be in slow SELECTs. */
  readonly #stops: pg.Pool;
  readonly #pids = new WeakMap<pg.PoolClient, number>();

  /** @param onLost Called for an idle connection that broke. The pool replaces it by itself. */
  constructor(connectionString: string, onLost: (error: Error) => void) {
    this.#pool = new pg.Pool({ connectionString, max: 5 });
    this.#stops = new pg.Pool({ connectionString, max: 1 });
    for (const pool of [this.#pool, this.#stops]) pool.on('error', onLost);
  }

  /** @throws the signal's reason when it is given up. */
  async rows<R extends pg.QueryResultRow>(
    select: pg.QueryConfig | string,
    signal?: AbortSignal,
  ): Promise<readonly R[]> {
    if (signal === undefined) return (await this.#pool.query<R>(select)).rows;
    const client = await this.#pool.connect();
    // An error of the connection is the SELECT's, too.
    const onLost = (): void => {};
    client.on('error', onLost);
    try {
      const pid = await this.#pidOf(client);
      const run = () => client.query<R>(select);
      const stop = () => this.#stops.query('SELECT pg_cancel_backend($1)', [pid]);
      return (await untilGivenUp(signal, run, stop)).rows;
    } finally {
      client.off('error', onLost);
      client.release();
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.end(), this.#stops.end()]);
  }

  async #pidOf(client: pg.PoolClient): Promise<number> {
    const known = this.#pids.get(client);
    if (known !== undefined) return known;
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const pid = rows[0]?.pid ?? 0;
    this.#pids.set(client, pid);
    return pid;
  }
}
