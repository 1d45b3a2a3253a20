import type { QueryResultRow } from 'pg';
import type { Batch } from '../connection/pipeline/send-ahead.js';
import { type Queryable, query } from '../query.js';

/** Where the verbs on jobs send their statements: on the pool, or in a transaction. */
export interface Scope {
  readonly on: Queryable;
  /** For statements that may read much, and take long. */
  readonly withoutTimeout: Queryable;
  /** The number of jobs that one statement inserts. While the server inserts them, the next ones are serialised. */
  readonly perStatement: number;
  /** Sends frequent statements. All of them take effect, or none. */
  sendAll<Row extends QueryResultRow>(batches: readonly Batch[]): Promise<Row[]>;
  /**
   * Works in one transaction. A caller's transaction is used when there is one.
   *
   * @param waitMs How long a statement of the driver's own transaction may wait for a lock. Default: as long as for an answer.
   */
  atomically<Result>(work: (scope: Scope) => Promise<Result>, waitMs?: number): Promise<Result>;
}

export const PER_STATEMENT = 1_000;

/** The scope of an open transaction, which is atomic anyway. */
export function openScope(on: Queryable, perStatement = PER_STATEMENT): Scope {
  const scope: Scope = {
    on,
    withoutTimeout: on,
    perStatement,
    async sendAll<Row extends QueryResultRow>(batches: readonly Batch[]) {
      const rows: Row[] = [];
      // All statements are built first, so that a refused value fails before anything is inserted.
      for (const { text, values } of batches.flatMap((batch) => batch()))
        rows.push(...(await query<Row>(on, text, values)));
      return rows;
    },
    atomically: (work) => work(scope),
  };
  return scope;
}
