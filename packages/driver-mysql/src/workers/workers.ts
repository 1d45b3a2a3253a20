import {
  type Anchor,
  BeatingAnchor,
  type JoinableWorkers,
  type SessionListener,
  type Workers,
} from '@rowlock/core/driver';
import type { Connection } from 'mysql2/promise';
import { verifyRowLocks } from '../connection/verify-row-locks.js';
import type { Context } from '../context.js';
import { refuseUnread } from '../errors.js';
import type { InTransaction } from '../jobs/in-transaction.js';
import { change, type MysqlTransaction, query } from '../query.js';
import { toWorkerView, type WorkerViewRow } from '../rows.js';
import { MysqlAnchor } from './anchor.js';
import type { CommitWatch } from './commit-watch.js';
import { forgetWorkers } from './forgotten-workers.js';
import { MysqlPulse } from './pulse.js';
import type { Ringer } from './ringer.js';
import { refuseOtherWriters } from './verify-server.js';
import { WorkerRow } from './worker-row.js';

/** @param ringer Where rings go. One outside of a transaction does no harm. */
export function joinableWorkersOf(
  { sql }: Context,
  watch: CommitWatch,
  ringer: Pick<MysqlTransaction, 'execute'>,
): JoinableWorkers {
  return {
    async notify(wakeUps) {
      for (const wakeUp of wakeUps) {
        // Postgres sends its notifications with the commit. On MySQL the ring is a row of the transaction. This process polls for the row
        // from outside.
        const { insertId } = await change(ringer, sql.bell.ring, [JSON.stringify(wakeUp)]);
        watch.watch(insertId, wakeUp);
      }
    },
  };
}

export interface WorkersParts {
  readonly context: Context;
  /** The pool, for short statements. */
  readonly on: MysqlTransaction;
  readonly inTransaction: InTransaction;
  readonly ringer: Ringer;
  readonly connect: () => Promise<Connection>;
  readonly push: boolean;
  readonly refusesOtherWriters: boolean;
  /** @param client A connection beside the pool. */
  readonly sharesSessions: (client: Connection) => Promise<boolean>;
}

export function workersOf(parts: WorkersParts): Workers {
  const { context, on, ringer, connect, push } = parts;
  const { sql, lockPrefix } = context;

  async function begun(
    client: Connection,
    added: Promise<WorkerRow>,
    forgotten: Promise<unknown>,
    session: SessionListener | undefined,
  ): Promise<Anchor> {
    const isShared = await parts.sharesSessions(client);
    const row = await added;
    const own = { lock: sql.workers.lockWorker, id: row.id };
    await Promise.all([
      verifyRowLocks(client, parts.inTransaction, own, context.answerMs),
      parts.refusesOtherWriters && refuseOtherWriters(on, sql, row),
    ]);
    await forgotten;
    if (isShared) {
      client.destroy();
      return BeatingAnchor.open(new MysqlPulse(context, on, connect, row), session);
    }
    const anchor = await MysqlAnchor.open({ context, pool: on, connect, row, push, session }, client);
    ringer.expectSleeper();
    return anchor;
  }

  return {
    notify: (wakeUps) => ringer.ring(wakeUps),

    async list() {
      const rows = await query<WorkerViewRow>(on, sql.workers.workers, [lockPrefix, lockPrefix]);
      rows.sort((a, b) => Number(b.started_at) - Number(a.started_at) || Number(a.id) - Number(b.id));
      return rows.map(toWorkerView);
    },

    async anchor(worker, session) {
      // The row has a second connection of the pool, which the first claim needs too.
      const forgotten = forgetWorkers(on, context);
      const added = WorkerRow.add(on, sql, worker);
      // A server that is not suitable may refuse this too, and says less by that.
      for (const each of [added, forgotten]) each.catch(() => {});
      // The one connection beside the pool: it is compared, locks a row, and becomes the worker's session.
      const connecting = connect();
      try {
        return await begun(await connecting, added, forgotten, session);
      } catch (error) {
        connecting.then((client) => client.destroy()).catch(() => {});
        await added.then((row) => row.end(on)).catch(() => {});
        return refuseUnread(error);
      }
    },
  };
}
