import {
  type Anchor,
  BeatingAnchor,
  type JoinableWorkers,
  type SessionListener,
  type Workers,
} from '@rowlock/core/driver';
import type { Client } from 'pg';
import type { NamedStatements } from '../connection/named-statements.js';
import type { OutsidePool } from '../connection/outside-pool.js';
import { verifyRowLocks } from '../connection/verify-row-locks.js';
import type { Context } from '../context.js';
import { refuseUnread } from '../errors.js';
import { type PostgresTransaction, type Queryable, query } from '../query.js';
import { toWorkerView, type WorkerRow as WorkerViewRow } from '../rows.js';
import { PostgresAnchor } from './anchor.js';
import { PostgresPulse } from './pulse.js';
import { texts } from './texts.js';
import { WorkerRow } from './worker-row.js';

export interface WorkersParts {
  readonly context: Context;
  /** For short statements. */
  readonly on: PostgresTransaction;
  readonly outside: OutsidePool;
  readonly names: NamedStatements;
  readonly ownsPool: boolean;
  /** @param client A connection beside the pool. */
  readonly sharesSessions: (client: Client) => Promise<boolean>;
}

export function joinableWorkersOf({ sql, channel }: Context, on: Queryable): JoinableWorkers {
  return {
    async notify(wakeUps) {
      await query(on, sql.bell.notify, [channel, texts(wakeUps)]);
    },
  };
}

export function workersOf({ context, on, outside, names, ...parts }: WorkersParts): Workers {
  const { sql, channel, lockClass, answerMs } = context;
  const forget = async (): Promise<void> => {
    await query(on, sql.workers.forgetWorkers, [lockClass.unsigned]);
    await query(on, sql.runs.forgetRuns);
  };

  async function begun(
    added: Promise<WorkerRow>,
    forgotten: Promise<unknown>,
    session: SessionListener | undefined,
  ): Promise<Anchor> {
    // The one connection beside the pool: it is compared, locks a row, and becomes the worker's session.
    const client = await outside.opened();
    let isKept = false;
    try {
      const isShared = await parts.sharesSessions(client);
      if (parts.ownsPool) names.setOwn(!isShared);
      const row = await added;
      await verifyRowLocks(client, on, { lock: sql.workers.lockWorker, id: row.id }, answerMs);
      await forgotten;
      isKept = !isShared;
      if (isKept) return await PostgresAnchor.open(context, on, outside, row, { session, client });
      return await BeatingAnchor.open(new PostgresPulse(context, on, outside, row), session);
    } finally {
      if (!isKept) await outside.end(client);
    }
  }

  return {
    async notify(wakeUps) {
      await names.query(on, sql.bell.notifySoon, [channel, texts(wakeUps)]);
    },

    async list() {
      const rows = await query<WorkerViewRow>(on, sql.workers.workers, [lockClass.unsigned]);
      return rows.map(toWorkerView);
    },

    async anchor(worker, session) {
      // The row has a second connection of the pool, which the first claim needs too.
      const forgotten = forget();
      const added = WorkerRow.add(on, sql, worker);
      // A server that is not suitable may refuse this too, and says less by that.
      for (const each of [added, forgotten]) each.catch(() => {});
      try {
        return await begun(added, forgotten, session);
      } catch (error) {
        await added.then((row) => row.end(on)).catch(() => {});
        return refuseUnread(error);
      }
    },
  };
}
