import {
  type History,
  type JobId,
  type StatisticsReport,
  storableJson,
  sumOf,
  type Tallies,
  type TalliesQuestion,
} from '@rowlock/core/driver';
import type { Place } from '../claims/statements/place.js';
import type { Execute } from '../engine/execute.js';
import type { TallyRow } from '../engine/rows.js';

const MINUTE_MS = 60_000;
const TEN_MINUTES_MS = 10 * MINUTE_MS;
const FINE_MS = 4 * 60 * MINUTE_MS;
const WEEK_MS = 604_800_000;

export function historyOf(execute: Execute): History {
  return {
    prune: (jobs, settledMs) =>
      execute(async (place) => {
        let pruned = 0;
        for (const id of jobs) if (await pruneOne(place, id, settledMs)) pruned += 1;
        return pruned;
      }),

    takePruneTurn: (workerId, forMs) =>
      execute(async ({ database, tx }) => {
        const { workers: all } = database.tables;
        const now = database.clock.now();
        const others = all.find(tx, ({ id, prunesUntil }) => id !== workerId && (prunesUntil ?? 0) > now);
        const [own] = all.findBy('id', workerId, tx);
        if (others.length > 0 || own === undefined) return false;
        await tx.lock(own.row);
        tx.write(own.row, { ...own.value, prunesUntil: now + forMs });
        return true;
      }),

    report: (workerId, report) => execute((place) => add(place, workerId, report)),

    tallies: (question) => execute((place) => tallies(place, question)),
  };
}

/** Uses SKIP LOCKED. */
async function pruneOne({ database, tx }: Place, id: JobId, settledMs: number): Promise<boolean> {
  const settledBefore = database.clock.now() - settledMs;
  const [found] = database.tables.jobs.findBy(
    'id',
    id,
    tx,
    ({ finishedAt }, row) => finishedAt !== null && finishedAt <= settledBefore && row.isFreeFor(tx),
  );
  if (found === undefined) return false;
  tx.take(found.row);
  tx.write(found.row, undefined);
  for (const run of database.tables.runs.findBy('jobId', id, tx)) {
    await tx.lock(run.row);
    tx.write(run.row, undefined);
  }
  return true;
}

async function add(
  place: Place,
  workerId: string,
  { tallies, running, memory, forgets = false }: StatisticsReport,
): Promise<void> {
  const { database, tx } = place;
  for (const { row } of database.tables.workers.findBy('id', workerId, tx)) {
    await tx.lock(row);
    const worker = row.seenBy(tx);
    if (worker?.stoppedAt !== null) continue;
    const info = { ...worker.info, memory: memory ?? worker.info.memory };
    tx.write(row, { ...worker, info, running: storableJson(running) });
  }
  const minute = minuteOf(database.clock.now());
  for (const tally of tallies) await addTally(place, { ...tally, minute });
  if (!forgets) return;
  await coarsenTallies(place);
  await forgetTallies(place);
}

async function addTally({ database, tx }: Place, added: TallyRow): Promise<void> {
  const { tallies } = database.tables;
  const isSame = ({ queue, kind }: TallyRow): boolean => queue === added.queue && kind === added.kind;
  const [found] = tallies.findBy('minute', added.minute, tx, isSame);
  if (found === undefined) {
    tallies.insert(tx, () => added);
    return;
  }
  await tx.lock(found.row);
  const before = found.row.seenBy(tx);
  tx.write(found.row, before === undefined ? added : { ...added, ...sumOf([before, added]) });
}

/** Sums of minutes that are long over become a part of one of ten minutes. */
async function coarsenTallies(place: Place): Promise<void> {
  const { database, tx } = place;
  const before = database.clock.now() - FINE_MS;
  const isFine = ({ minute }: TallyRow): boolean => minute < before && minute % TEN_MINUTES_MS !== 0;
  for (const { row, value } of database.tables.tallies.find(tx, isFine)) {
    await tx.lock(row);
    if (row.seenBy(tx) === undefined) continue;
    tx.write(row, undefined);
    await addTally(place, { ...value, minute: value.minute - (value.minute % TEN_MINUTES_MS) });
  }
}

async function forgetTallies({ database, tx }: Place): Promise<void> {
  const before = database.clock.now() - WEEK_MS;
  for (const { row } of database.tables.tallies.find(tx, ({ minute }) => minute < before)) {
    await tx.lock(row);
    tx.write(row, undefined);
  }
}

function tallies({ database, tx }: Place, { minutes, step, queue, kind, byLane }: TalliesQuestion): Tallies {
  const now = database.clock.now();
  const since = minuteOf(now) - minutes * MINUTE_MS;
  const isWanted = (row: TallyRow): boolean =>
    row.minute >= since && (queue ?? row.queue) === row.queue && (kind ?? row.kind) === row.kind;
  const rows = database.tables.tallies.find(tx, isWanted).map(({ value: { minute, ...tally } }) => ({
    at: Math.floor(minute / (step * MINUTE_MS)) * step * MINUTE_MS,
    lane: byLane ? { queue: tally.queue, kind: tally.kind } : null,
    tally,
  }));
  const sums = Map.groupBy(rows, ({ at, lane }) => JSON.stringify([at, lane]));
  return {
    now: new Date(now),
    sums: [...sums.values()]
      .flatMap((same) => {
        const [first] = same;
        if (first === undefined) return [];
        const counts = sumOf(same.map(({ tally }) => tally));
        return [{ ...counts, at: new Date(first.at), lane: first.lane }];
      })
      .toSorted((one, other) => one.at.getTime() - other.at.getTime()),
  };
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS) * MINUTE_MS;
}
