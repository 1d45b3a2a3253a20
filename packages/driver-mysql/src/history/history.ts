import { despiteDeadlocks, type History } from '@rowlock/core/driver';
import { Given } from '../jobs/given.js';
import { idRows } from '../jobs/given-rows.js';
import type { InTransaction } from '../jobs/in-transaction.js';
import { change, type MysqlTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import { list } from '../values/list.js';

interface TallyRow {
  readonly now: string;
  /** Null: nothing was counted. */
  readonly at: string | null;
  readonly of_queue: string | null;
  readonly of_kind: string | null;
  readonly completed: string;
  readonly failed: string;
  readonly cancelled: string;
  readonly retried: string;
  readonly waits: string;
  readonly runs: string;
}

const TALLIES = new Given('given', [
  ['lane_queue', 'VARCHAR(1000)'],
  ['lane_kind', 'VARCHAR(1000)'],
  ['add_completed', 'INT'],
  ['add_failed', 'INT'],
  ['add_cancelled', 'INT'],
  ['add_retried', 'INT'],
  ['add_waits', 'LONGTEXT'],
  ['add_runs', 'LONGTEXT'],
]);

export function historyOf(
  on: MysqlTransaction,
  { history: sql }: Statements,
  inTransaction: InTransaction,
): History {
  // Of workers that do these at the same time, one may be undone by a deadlock.
  function coarsen(until: string): Promise<void> {
    return despiteDeadlocks(() =>
      inTransaction(async (tx) => {
        await change(tx, sql.coarsenTallies, [until]);
        await change(tx, sql.deleteFine, [until]);
      }),
    );
  }

  async function forget(): Promise<void> {
    await despiteDeadlocks(() => change(on, sql.forgetTallies));
  }

  return {
    async prune(jobs, settledMs) {
      if (jobs.length === 0) return 0;
      const { places, values } = list(jobs);
      return inTransaction(async (tx) => {
        const free = await query<{ id: string }>(tx, sql.lockSettled(places), [...values, settledMs]);
        if (free.length === 0) return 0;
        const given = idRows(free.map(({ id }) => id));
        await change(tx, sql.pruneRuns(given.text), given.values);
        await change(tx, sql.prune(given.text), given.values);
        return free.length;
      });
    },

    async takePruneTurn(workerId, forMs) {
      const others = await query(on, sql.findPruner, [workerId]);
      if (others.length > 0) return false;
      const { rows } = await change(on, sql.takePruneTurn, [forMs, workerId]);
      return rows > 0;
    },

    async report(workerId, { tallies, running, runningIds, memory = null, forgets = false }) {
      const now = [JSON.stringify(running), `[${runningIds.join(',')}]`, memory];
      await change(on, sql.reportRunning, [...now, workerId]);
      if (tallies.length > 0) {
        const given = TALLIES.rows(
          tallies.map((tally) => ({
            lane_queue: tally.queue,
            lane_kind: tally.kind,
            add_completed: tally.completed,
            add_failed: tally.failed,
            add_cancelled: tally.cancelled,
            add_retried: tally.retried,
            add_waits: JSON.stringify(tally.waits),
            add_runs: JSON.stringify(tally.runs),
          })),
        );
        await change(on, sql.addTallies(given.text), given.values);
      }
      if (!forgets) return;
      const [fine] = await query<{ newest: string | null }>(on, sql.findFine);
      if (fine !== undefined && fine.newest !== null) await coarsen(fine.newest);
      await forget();
    },

    async tallies({ minutes, step, queue, kind, byLane }) {
      const values = [step, step, byLane, byLane, minutes, queue, queue, kind, kind];
      const rows = await query<TallyRow>(on, sql.tallies, values);
      return {
        now: new Date(Number(rows[0]?.now)),
        sums: rows
          .filter(({ at }) => at !== null)
          .map(({ at, of_queue, of_kind, ...sums }) => ({
            at: new Date(Number(at)),
            lane: of_queue === null || of_kind === null ? null : { queue: of_queue, kind: of_kind },
            completed: Number(sums.completed),
            failed: Number(sums.failed),
            cancelled: Number(sums.cancelled),
            retried: Number(sums.retried),
            waits: JSON.parse(sums.waits),
            runs: JSON.parse(sums.runs),
          })),
      };
    },
  };
}
