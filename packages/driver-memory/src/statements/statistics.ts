import type { Backlog, StatisticsReport, Tallied, Tally } from '@rowlock/core/driver';
import { storableJson } from '@rowlock/core/driver';
import type { JobRow } from '../job-row.js';
import type { TallyRow } from '../rows.js';
import { pausesOf } from './pauses.js';
import type { Place } from './place.js';

/** The fewest jobs of a queue that are counted, where there are so many. */
const LEAST = 100;

const MINUTE_MS = 60_000;
const WEEK_MS = 604_800_000;

export function backlog(place: Place, wanted: number, inAll = Number.POSITIVE_INFINITY): readonly Backlog[] {
  const { database, tx } = place;
  const now = database.clock.now();
  const isPaused = pausesOf(place).job;
  const waiting = database.tables.jobs.find(tx, ({ status }) => status === 'new').map(({ value }) => value);
  const queues = Map.groupBy(waiting, ({ queue }) => queue);
  const most = Math.min(wanted, Math.max(LEAST, Math.floor(inAll / queues.size)));
  return [...queues].flatMap(([queue, own]) => {
    const due = own.filter((job) => job.due && job.availableAt <= now).toSorted(inOrder);
    const delayed = own.filter((job) => !job.due);
    const counted = [due.slice(0, most), delayed.slice(0, most)] as const;
    return [...new Set(counted.flat().map(({ kind }) => kind))].map((kind) => {
      const [isDue, isDelayed] = counted.map((jobs) => jobs.filter((job) => job.kind === kind));
      const times = (isDue ?? []).map(({ availableAt }) => now - availableAt);
      return {
        queue,
        kind,
        due: times.length,
        paused: (isDue ?? []).filter(isPaused).length,
        delayed: isDelayed?.length ?? 0,
        more: due.length >= most,
        moreDelayed: delayed.length >= most,
        oldestDueMs: times.length === 0 ? null : Math.max(...times),
      };
    });
  });
}

export async function report(
  place: Place,
  workerId: string,
  { tallies, running }: StatisticsReport,
): Promise<void> {
  const { database, tx } = place;
  for (const { row } of database.tables.workers.findBy('id', workerId, tx)) {
    await tx.lock(row);
    const worker = row.seenBy(tx);
    if (worker?.stoppedAt === null) tx.write(row, { ...worker, running: storableJson(running) });
  }
  const minute = minuteOf(database.clock.now());
  for (const tally of tallies) await addTally(place, { ...tally, minute });
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
  tx.write(found.row, before === undefined ? added : { ...sum(before, added), minute: added.minute });
}

export function tallied({ database, tx }: Place, minutes: number): Tallied {
  const now = database.clock.now();
  const since = minuteOf(now) - minutes * MINUTE_MS;
  const lanes = new Map<string, Tally>();
  for (const { value } of database.tables.tallies.find(tx, ({ minute }) => minute >= since)) {
    const name = `${value.queue}\n${value.kind}`;
    const { minute: _, ...tally } = value;
    const before = lanes.get(name);
    lanes.set(name, before === undefined ? tally : sum(before, tally));
  }
  return { seconds: (now - since) / 1_000, tallies: [...lanes.values()] };
}

export async function forgetTallies({ database, tx }: Place): Promise<void> {
  const before = database.clock.now() - WEEK_MS;
  for (const { row } of database.tables.tallies.find(tx, ({ minute }) => minute < before)) {
    await tx.lock(row);
    tx.write(row, undefined);
  }
}

export function sum(one: Tally, other: Tally): Tally {
  const { queue, kind } = one;
  const each = (a: readonly number[], b: readonly number[]): readonly number[] =>
    a.map((count, place) => count + (b[place] ?? 0));
  return {
    queue,
    kind,
    completed: one.completed + other.completed,
    failed: one.failed + other.failed,
    cancelled: one.cancelled + other.cancelled,
    retried: one.retried + other.retried,
    waits: each(one.waits, other.waits),
    runs: each(one.runs, other.runs),
  };
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS) * MINUTE_MS;
}

function inOrder(one: JobRow, other: JobRow): number {
  return one.priority - other.priority || Number(one.id - other.id);
}
