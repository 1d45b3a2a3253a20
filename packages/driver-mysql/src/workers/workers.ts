import { BeatingAnchor, type JoinableWorkers, type WorkerInfo, type Workers } from '@rowlock/core/driver';
import type { Connection } from 'mysql2/promise';
import type { GateCallParts } from '../claims/limit-call.js';
import { verifyRowLocks } from '../connection/verify-row-locks.js';
import type { Context } from '../context.js';
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
  readonly bounded: GateCallParts;
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

  /** The row of a worker that may start here. */
  async function added(client: Connection, worker: WorkerInfo): Promise<WorkerRow> {
    const row = await WorkerRow.add(on, sql, worker);
    try {
      await verifyRowLocks(client, parts.bounded, { lock: sql.workers.lockWorker, id: row.id });
      if (parts.refusesOtherWriters) await refuseOtherWriters(on, sql, row);
      return row;
    } catch (error) {
      await row.end(on);
      throw error;
    }
  }

  return {
    notify: (wakeUps) => ringer.ring(wakeUps),

    async list() {
      const rows = await query<WorkerViewRow>(on, sql.workers.workers, [lockPrefix, lockPrefix]);
      rows.sort((a, b) => Number(b.started_at) - Number(a.started_at) || Number(a.id) - Number(b.id));
      return rows.map(toWorkerView);
    },

    async anchor(worker, session) {
      const forgotten = forgetWorkers(on, context);
      forgotten.catch(() => {});
      // The one connection beside the pool: it is compared, locks a row, and becomes the worker's session.
      const client = await connect();
      let isKept = false;
      try {
        const isShared = await parts.sharesSessions(client);
        await forgotten;
        const row = await added(client, worker);
        if (isShared) return await BeatingAnchor.open(new MysqlPulse(context, on, connect, row), session);
        isKept = true;
        const anchor = await MysqlAnchor.open({ context, pool: on, connect, row, push, session }, client);
        ringer.expectSleeper();
        return anchor;
      } finally {
        if (!isKept) client.destroy();
      }
    },
  };
}
