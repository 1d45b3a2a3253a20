import { type Front, type FrontJob, type FrontQuestion, NEVER } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type MysqlTransaction, query } from '../query.js';
import { inParts, list } from '../values/list.js';
import { frontPlaces } from './front-places.js';
import { type FrontRow, pageRows, rowsWithRuns } from './front-rows.js';
import { idRows, KEYS } from './given-rows.js';
import { named, runOf } from './situation.js';

/** The jobs at the front of a queue. @throws DriverError */
export async function front(
  on: MysqlTransaction,
  context: Context,
  { queue, limit, after }: FrontQuestion,
): Promise<Front> {
  const { found, isCut } = await frontPlaces(on, context, queue, limit);
  const first = await pageRows(on, context, queue, found.slice(0, limit));
  const shown = [...first, ...(await headsOf(on, context, queue, first))];
  const dependencies = await dependenciesOf(on, context, shown, after);
  const followed = await followedBy(on, context, shown);
  const [clock] = await query<{ now: string }>(on, context.sql.now);
  const ids = new Set(shown.map(({ id }) => id));
  return {
    now: new Date(Number(clock?.now ?? 0)),
    jobs: shown.map((row) => toFrontJob(row, followed, dependencies)),
    more: isCut || found.some(({ id }) => !ids.has(id)),
  };
}

/** The first jobs of the keys of these that are not among these. */
async function headsOf(
  on: MysqlTransaction,
  context: Context,
  queue: string,
  rows: readonly FrontRow[],
): Promise<readonly FrontRow[]> {
  const ids = new Set(rows.map(({ id }) => id));
  const keys = [...new Set(rows.flatMap(({ key }) => key ?? []))];
  const missing: { readonly id: string }[] = [];
  for (const some of inParts(keys)) {
    const given = KEYS.rows(some.map((entity) => ({ entity })));
    const text = context.sql.firstOfKeys(given.text);
    const firsts = await query<{ id: string | null }>(on, text, [queue, ...given.values]);
    missing.push(...firsts.flatMap(({ id }) => (id === null || ids.has(id) ? [] : [{ id }])));
  }
  return rowsWithRuns(on, context, missing);
}

/** The public ids of the jobs that go first by `after`, by the ids of these. */
async function dependenciesOf(
  on: MysqlTransaction,
  { sql }: Context,
  rows: readonly FrontRow[],
  after: FrontQuestion['after'],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const [kind, first] of Object.entries(after)) {
    const kinds = list(first);
    const own = rows.filter((row) => row.kind === kind && row.key !== null);
    for (const some of inParts(own.map(({ id }) => id))) {
      const given = idRows(some);
      const text = sql.firstOfKinds(kinds.places, given.text);
      const values = [...kinds.values, ...given.values];
      for (const row of await query<{ id: string; dependency: string | null }>(on, text, values))
        if (row.dependency !== null) found.set(row.id, row.dependency);
    }
  }
  return found;
}

/** One of the jobs for which each of these waits by its own `after`, by their public ids. */
async function followedBy(
  on: MysqlTransaction,
  { sql }: Context,
  rows: readonly FrontRow[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const waiting = rows.filter(({ available_at }) => Number(available_at) >= NEVER.getTime());
  for (const some of inParts(waiting.map(({ public_id }) => public_id))) {
    const { places, values } = list(some);
    const text = sql.firstFollowed(places);
    for (const row of await query<{ public_id: string; followed: string }>(on, text, values))
      found.set(row.public_id, row.followed);
  }
  return found;
}

function toFrontJob(
  row: FrontRow,
  followed: ReadonlyMap<string, string>,
  dependencies: ReadonlyMap<string, string>,
): FrontJob {
  const { key, priority, limits, status } = row;
  return {
    ...named(row),
    id: BigInt(row.id),
    key,
    priority,
    limits,
    status,
    due: Number(row.due) === 1,
    availableAt: new Date(Number(row.available_at)),
    run: runOf(row),
    followed: followed.get(row.public_id) ?? null,
    dependency: dependencies.get(row.id) ?? null,
  };
}
