import type { State } from '@rowlock/core';
import type { HeldJob, HoldingRun, NamedJob } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { heldBy } from '../jobs/selection.js';
import { type MysqlTransaction, query } from '../query.js';
import { sql as fragment, joined } from '../values/fragment.js';
import { inParts, list } from '../values/list.js';

/** A job, and the run of its record. */
export interface HeldRow {
  readonly id: string;
  readonly public_id: string;
  readonly kind: string;
  readonly status: State;
  readonly run_id: string | null;
  readonly worker: string | null;
  readonly since: string | null;
  readonly alive: number | string | null;
}

export interface FactsRow extends HeldRow {
  readonly queue: string;
  readonly key: string | null;
  readonly priority: number;
  readonly limits: string;
  readonly due: number;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly error: string | null;
  readonly available_at: string;
  readonly finished_at: string | null;
}

/** A job that a run has. */
export interface Taken {
  readonly id: string;
  readonly queue: string;
  readonly key: string | null;
}

/** The jobs of these queues that runs have, in the order of their ids. @throws DriverError */
export async function takenIn(
  on: MysqlTransaction,
  context: Context,
  queues: readonly string[],
): Promise<readonly Taken[]> {
  if (queues.length === 0) return [];
  const { sql } = context;
  const those = joined(
    queues.map((queue) => fragment`job.queue = ${queue}`),
    ' OR ',
  );
  const where = fragment`(${those})`;
  const { latest, workers, values } = await heldBy(on, context, where);
  const text = sql.insight.taken(sql.selection.runningJobs(where.text, latest, workers));
  const rows = await query<Taken>(on, text, [...values, ...where.values]);
  return rows.toSorted((one, other) => Number(BigInt(one.id) - BigInt(other.id)));
}

/**
 * Jobs, with the runs of those that are taken. To join the newest run of every job takes as long as all the rest.
 *
 * @throws DriverError
 */
export async function rowsOf(
  on: MysqlTransaction,
  { sql: { insight: sql }, lockPrefix }: Context,
  ids: readonly string[],
  { taken, error }: { readonly taken: readonly Taken[]; readonly error: 'job.error' | 'NULL' },
): Promise<readonly FactsRow[]> {
  const read = async (
    wanted: readonly string[],
    textOf: (places: string) => string,
    before: readonly string[],
  ): Promise<readonly FactsRow[]> => {
    const found: FactsRow[] = [];
    for (const some of inParts(wanted)) {
      const { places, values } = list(some);
      found.push(...(await query<FactsRow>(on, textOf(places), [...before, ...values])));
    }
    return found;
  };
  const running = new Set(taken.map(({ id }) => id));
  const others = ids.filter((id) => !running.has(id));
  const rows = await read(others, (places) => sql.waiting(places, error), []);
  // One may have been leased since.
  const isLeased = ({ status }: FactsRow): boolean => status === 'in-progress';
  const held = [...ids.filter((id) => running.has(id)), ...rows.filter(isLeased).map(({ id }) => id)];
  return [...rows.filter((row) => !isLeased(row)), ...(await read(held, sql.running, [lockPrefix]))];
}

export function named({ public_id: publicId, kind }: Pick<HeldRow, 'public_id' | 'kind'>): NamedJob {
  return { publicId, kind };
}

export function held(row: HeldRow): readonly HeldJob[] {
  const run = runOf(row);
  return run === null ? [] : [{ ...named(row), run }];
}

export function runOf({ status, run_id, worker, since, alive }: HeldRow): HoldingRun | null {
  const isAlive = Number(alive) === 1;
  if (run_id === null || (!isAlive && status !== 'in-progress')) return null;
  return { runId: run_id, worker, since: date(since), alive: isAlive };
}

export function date(ms: string | null): Date | null {
  return ms === null ? null : new Date(Number(ms));
}
