import type { Counts, History } from '@rowlock/core/driver';
import { answers, type Queryable, query } from '../query.js';
import type { Statements } from '../statements.js';
import { plainArray } from '../values/plain-array.js';

interface TalliesRow {
  readonly now: number;
  readonly sums:
    | readonly (Counts & {
        readonly at: number;
        readonly queue: string | null;
        readonly kind: string | null;
      })[]
    | null;
}

export function historyOf(on: Queryable, { history: sql }: Statements): History {
  return {
    async prune(jobs, settledMs) {
      const [row] = await query<{ pruned: bigint }>(on, sql.prune, [jobs, settledMs]);
      return Number(row?.pruned ?? 0);
    },

    async takePruneTurn(workerId, forMs) {
      const rows = await query(on, sql.takePruneTurn, [workerId, forMs]);
      return rows.length > 0;
    },

    async report(workerId, { tallies, running, runningIds, memory = null, forgets = false }) {
      const own = [workerId, JSON.stringify(running), plainArray(runningIds), memory];
      if (tallies.length === 0) await query(on, sql.reportRunning, own);
      else await query(on, sql.report, [...own, JSON.stringify(tallies)]);
      if (!forgets) return;
      await query(on, sql.coarsenTallies);
      await query(on, sql.forgetTallies);
    },

    async tallies({ minutes, step, queue, kind, byLane }) {
      const values = [String(minutes), String(step), queue, kind, String(byLane)];
      const [row] = await answers<TalliesRow>(on, sql.tallies, values);
      return {
        now: new Date(row?.now ?? 0),
        sums: (row?.sums ?? []).map(({ at, queue: ofQueue, kind: ofKind, ...counts }) => ({
          ...counts,
          at: new Date(at),
          lane: ofQueue === null || ofKind === null ? null : { queue: ofQueue, kind: ofKind },
        })),
      };
    },
  };
}
