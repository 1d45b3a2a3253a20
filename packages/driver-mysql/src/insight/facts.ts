import {
  type Facts,
  type FactsQuestion,
  isSettled,
  type JobFacts,
  type NamedJob,
  type NamedJobs,
  NEVER,
} from '@rowlock/core/driver';
import { storedError } from '@rowlock/sql-drivers';
import type { Context } from '../context.js';
import { idRows, KEYS } from '../jobs/given-rows.js';
import { type MysqlTransaction, query } from '../query.js';
import { inParts, list } from '../values/list.js';
import { frontPage, namedPage } from './pages.js';
import { date, type FactsRow, named, rowsOf, runOf, type Taken, takenIn } from './rows.js';

/** The most jobs that are named for which a job waits. */
const MOST_NAMED = 10;

/** What is found for some of the jobs, by their ids. */
type Found<Value> = ReadonlyMap<string, Value>;

/** Jobs, and what may be in their way. @throws DriverError */
export async function facts(
  on: MysqlTransaction,
  context: Context,
  { after, ...which }: FactsQuestion,
): Promise<Facts> {
  const isFront = 'queue' in which;
  const page = await (isFront ? frontPage(on, context, which) : namedPage(on, context, which));
  const taken = await takenIn(on, context, page.queues);
  const rows = async (ids: readonly string[]): Promise<readonly FactsRow[]> => {
    const found = await rowsOf(on, context, ids, { taken, error: isFront ? 'NULL' : 'job.error' });
    // One may have been settled since its id was read.
    return isFront ? found.filter(({ status }) => !isSettled(status)) : found;
  };
  const first = await rows(page.ids);
  const shown = [...first, ...(await rows(await headsOf(on, context, first, taken)))];
  const dependencies = await dependenciesOf(on, context, shown, after);
  const followed = await followedBy(on, context, shown, isFront ? 1 : MOST_NAMED + 1);
  const before = isFront ? new Map() : await countsBefore(on, context, shown, taken, { ...which, after });
  const [clock] = await query<{ now: string }>(on, context.sql.insight.now);
  const ids = new Set(shown.map(({ id }) => id));
  return {
    now: new Date(Number(clock?.now ?? 0)),
    jobs: shown.map((row) => toJobFacts(row, followed, dependencies, before)),
    more: page.isCut || page.others.some((id) => !ids.has(id)),
  };
}

/** Of the keys of these the first available jobs, and the first that runs have. */
async function headsOf(
  on: MysqlTransaction,
  { sql }: Context,
  rows: readonly FactsRow[],
  taken: readonly Taken[],
): Promise<readonly string[]> {
  const heads = new Set<string>();
  for (const [queue, own] of Map.groupBy(rows, (row) => row.queue)) {
    const keys = new Set(own.flatMap(({ key }) => key ?? []));
    for (const some of inParts([...keys])) {
      const given = KEYS.rows(some.map((entity) => ({ entity })));
      const text = sql.insight.firstOfKeys(given.text);
      const firsts = await query<{ id: string | null }>(on, text, [queue, ...given.values]);
      for (const { id } of firsts) if (id !== null) heads.add(id);
    }
    for (const job of taken)
      if (job.queue === queue && job.key !== null && keys.delete(job.key)) heads.add(job.id);
  }
  for (const { id } of rows) heads.delete(id);
  return [...heads];
}

/** The jobs that go first by `after` of handlers. */
async function dependenciesOf(
  on: MysqlTransaction,
  { sql }: Context,
  rows: readonly FactsRow[],
  after: FactsQuestion['after'],
): Promise<Found<NamedJob>> {
  const found = new Map<string, NamedJob>();
  for (const [kind, first] of Object.entries(after)) {
    const kinds = list(first);
    const own = rows.filter((row) => row.kind === kind && row.key !== null);
    for (const some of inParts(own.map(({ id }) => id))) {
      const given = idRows(some);
      const text = sql.insight.firstOfKinds(kinds.places, given.text);
      const values = [...kinds.values, ...given.values];
      for (const { id, dependency } of await query<{ id: string; dependency: string | null }>(
        on,
        text,
        values,
      ))
        if (dependency !== null)
          found.set(id, { publicId: dependency.slice(0, UUID), kind: dependency.slice(UUID) });
    }
  }
  return found;
}

/** How long a public id is. */
const UUID = 36;

/** The jobs for which these wait by their own `after`, by the public ids of these. */
async function followedBy(
  on: MysqlTransaction,
  { sql }: Context,
  rows: readonly FactsRow[],
  most: number,
): Promise<Found<readonly NamedJob[]>> {
  const found = new Map<string, NamedJob[]>();
  const waiting = rows.filter(({ available_at }) => Number(available_at) >= NEVER.getTime());
  for (const some of inParts(waiting.map(({ public_id }) => public_id))) {
    const { places, values } = list(some);
    const text = sql.insight.followed(places);
    for (const row of await query<{ waits: string } & Parameters<typeof named>[0]>(on, text, [
      ...values,
      most,
    ]))
      found.set(row.waits, [...(found.get(row.waits) ?? []), named(row)]);
  }
  return found;
}

/** How many jobs of its part the claim meets before each of these. */
async function countsBefore(
  on: MysqlTransaction,
  { sql }: Context,
  rows: readonly FactsRow[],
  taken: readonly Taken[],
  { mostBefore, served, after }: NamedJobs & Pick<FactsQuestion, 'after'>,
): Promise<Found<number>> {
  const found = new Map<string, number>();
  // A list must not be empty. No job has the id 0, and no kind or key has no name.
  const pairs = JSON.stringify(
    Object.entries(after).flatMap(([later, kinds]) => kinds.map((first) => ({ later, first }))),
  );
  const ids = list(['0', ...taken.map(({ id }) => id)]);
  for (const { id, status, queue, limits, priority, key } of rows) {
    if (status !== 'new') continue;
    const kinds = list(['', ...(Object.hasOwn(served, queue) ? (served[queue] ?? []) : [])]);
    const busy = taken.flatMap((each) => (each.queue === queue ? (each.key ?? []) : []));
    const keys = list([key ?? '', ...busy]);
    const given = [queue, limits, priority, priority, id, ...kinds.values, ...ids.values];
    const ofKey = [...keys.values, pairs, queue, ...kinds.values, pairs];
    const text = sql.insight.countBefore({ taken: ids.places, kinds: kinds.places, keys: keys.places });
    const [row] = await query<{ jobs: string }>(on, text, [...given, ...ofKey, mostBefore]);
    found.set(id, Number(row?.jobs ?? 0));
  }
  return found;
}

function toJobFacts(
  row: FactsRow,
  followed: Found<readonly NamedJob[]>,
  dependencies: Found<NamedJob>,
  before: Found<number>,
): JobFacts {
  const { queue, key, priority, limits, status, attempt } = row;
  const first = followed.get(row.public_id) ?? [];
  return {
    ...named(row),
    id: BigInt(row.id),
    queue,
    key,
    priority,
    limits,
    status,
    due: Number(row.due) === 1,
    availableAt: new Date(Number(row.available_at)),
    finishedAt: date(row.finished_at),
    attempt,
    maxAttempts: row.max_attempts,
    error: storedError(row.error === null ? null : JSON.parse(row.error)),
    run: runOf(row),
    followed: { jobs: first.slice(0, MOST_NAMED), more: first.length > MOST_NAMED },
    dependency: dependencies.get(row.id) ?? null,
    before: before.get(row.id) ?? 0,
  };
}
