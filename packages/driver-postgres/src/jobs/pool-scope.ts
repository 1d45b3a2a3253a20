import { despiteDeadlocks } from '@rowlock/core/driver';
import type { PoolClient, QueryResultRow } from 'pg';
import type { NamedStatements } from '../connection/named-statements.js';
import type { Batch } from '../connection/pipeline/send-ahead.js';
import type { Context } from '../context.js';
import type { PostgresTransaction, Queryable } from '../query.js';
import { inTransaction, sendInTransaction } from './in-transaction.js';
import { PER_STATEMENT, type Scope } from './scope.js';

/** Works with a connection of the pool, without a timeout of its statements. */
export type Long = <Answer>(work: (client: PoolClient) => Promise<Answer>) => Promise<Answer>;

export interface PoolScopeParts {
  /** For short statements. */
  readonly on: PostgresTransaction;
  readonly names: NamedStatements;
  readonly long: Long;
  /** The pool, without a timeout. */
  readonly withoutTimeout: Queryable;
}

/** The scope of the pool, where each verb commits by itself. */
export function poolScope(context: Context, { on, names, long, withoutTimeout }: PoolScopeParts): Scope {
  return {
    on,
    withoutTimeout,
    perStatement: PER_STATEMENT,

    async sendAll<Row extends QueryResultRow>(batches: readonly Batch[]): Promise<Row[]> {
      const [first, ...others] = batches;
      const made = first?.() ?? [];
      const [only, ...more] = made;
      if (only === undefined) return [];
      const all = [() => made, ...others];
      return despiteDeadlocks(() =>
        others.length + more.length === 0
          ? names.query<Row>(on, only.text, only.values)
          : long((client) => sendInTransaction<Row>(client, context, all)),
      );
    },

    atomically: (work, waitMs) =>
      despiteDeadlocks(() => long((client) => inTransaction(client, context, work, waitMs))),
  };
}
