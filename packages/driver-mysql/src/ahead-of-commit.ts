import { DriverError } from '@rowlock/core';
import { answerWithin } from '@rowlock/core/driver';
import {
  type ConnectionOptions,
  createPool,
  type Pool,
  type PoolConnection,
  type ResultSetHeader,
} from 'mysql2';
import type { MysqlTransaction } from './query.js';
import { cut, endPool, prepareOnce } from './session.js';

/**
 * How many connections at most. Writes of records come one after the other: each second what idles beyond one is closed. The one
 * is kept however long it idles, so that the first record after a rest need not wait for a connection to be opened and set up.
 */
const POOL = { connectionLimit: 10, maxIdle: 1, idleTimeout: Number.POSITIVE_INFINITY } as const;

/**
 * Connections on which a statement tells how many rows it changes before its commit. The server is sent it with the COMMIT in one
 * packet, and answers each by itself: when it has answered the statement, it has the COMMIT too, and does it whatever becomes of this
 * process. The flush of the log is not waited for.
 */
export class AheadOfCommit {
  readonly #pool: Pool;
  readonly #answerMs: number;
  /** Those that are set up: a statement opens a transaction by itself. */
  readonly #prepared = new WeakSet<PoolConnection>();

  constructor(options: ConnectionOptions, answerMs: number) {
    this.#pool = createPool({ ...options, ...POOL, multipleStatements: true });
    // mysql2 listens for one error; a second, of a connection that it has let go already, would end the process.
    this.#pool.on('connection', (made) => void made.on('error', () => {}));
    this.#answerMs = answerMs;
  }

  /** @param tell Is called ahead of the commit; what is asked resolves after it. */
  telling(tell: (rows: number) => void): Pick<MysqlTransaction, 'execute'> {
    return { execute: (sql, values) => this.#ask(`${sql}; COMMIT`, values, tell) };
  }

  close(): Promise<void> {
    return endPool(this.#pool.promise(), this.#answerMs);
  }

  async #ask(
    sql: string,
    values: (string | number | null)[],
    tell: (rows: number) => void,
  ): Promise<[ResultSetHeader, undefined]> {
    const client = await this.#take();
    try {
      const answer = inOnePiece(client, sql, values, tell);
      const [result] = await answerWithin(this.#answerMs, answer, () => cut(client.promise()));
      if (result === undefined)
        throw new DriverError('Unknown', 'The server has not answered each statement.');
      client.release();
      return [result, undefined];
    } catch (error) {
      // Behind a statement that was refused the transaction is open still.
      client.destroy();
      throw error;
    }
  }

  async #take(): Promise<PoolConnection> {
    const client = await new Promise<PoolConnection>((resolve, reject) => {
      this.#pool.getConnection((error, taken) => (error ? reject(error) : resolve(taken)));
    });
    if (!this.#prepared.has(client)) await this.#prepare(client);
    return client;
  }

  async #prepare(client: PoolConnection): Promise<void> {
    const asked = client.promise();
    await prepareOnce(asked);
    try {
      await answerWithin(this.#answerMs, asked.query('SET autocommit = 0'), () => cut(asked));
    } catch (error) {
      client.destroy();
      throw error;
    }
    this.#prepared.add(client);
  }
}

/** @returns what each statement was answered */
function inOnePiece(
  client: PoolConnection,
  sql: string,
  values: (string | number | null)[],
  tell: (rows: number) => void,
): Promise<readonly ResultSetHeader[]> {
  return new Promise((resolve, reject) => {
    const results: ResultSetHeader[] = [];
    client
      .query<ResultSetHeader[]>(sql, values, (error) => (error ? reject(error) : resolve(results)))
      .on('result', (result: ResultSetHeader) => {
        if (results.push(result) === 1) tell(result.affectedRows);
      });
  });
}
