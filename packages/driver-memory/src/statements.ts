import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type ClaimCriteria,
  type ClientEvent,
  type DependencyQuestion,
  DriverError,
  type Enqueued,
  type Entity,
  isLegal,
  isSettled,
  type Job,
  type JobFilter,
  type JobId,
  type JobPage,
  type Lanes,
  type Moved,
  type NewJob,
  type Page,
  type RunStart,
  type RunStarted,
  type Settlement,
  type State,
  type Survey,
  TRANSITIONS,
  type WakeUp,
  type WorkerInfo,
  type WorkerLines,
  type WorkerView,
} from '@rowlock/core';
import type { Database } from './database.js';
import { checkJob, JOB_DEFAULTS, type JobRow } from './job-row.js';
import { type LiveRun, type RunRow, toJob, toJobView, toWorkerView } from './rows.js';
import { storableJson, storableText } from './storable.js';
import type { Found } from './table.js';
import type { Transaction } from './transaction.js';
import { holderOfUniqueKey } from './unique-key.js';

/** Where a statement runs. */
export interface Place {
  readonly database: Database;
  readonly tx: Transaction;
}

const HOUR_MS = 3_600_000;

// Every statement of the driver, in the order of the flow.

export async function enqueue(place: Place, jobs: readonly NewJob[]): Promise<readonly Enqueued[]> {
  const { database, tx } = place;
  const enqueued: Enqueued[] = [];
  for (const job of jobs) {
    const given = newRow(job, database.clock.now());
    const there = await holderOfUniqueKey(database.tables.jobs, tx, given);
    if (there === undefined) database.tables.jobs.insert(tx, (id) => ({ ...given, id }));
    enqueued.push(
      there === undefined
        ? { outcome: 'enqueued', publicId: given.publicId }
        : { outcome: 'duplicate', publicId: there.publicId },
    );
  }
  return enqueued;
}

/** The row without its id, which the table gives. */
function newRow(job: NewJob, now: number): JobRow {
  const { available, unique, maxAttempts, createdBy, priority } = job;
  const availableAt = 'at' in available ? available.at.getTime() : now + available.inMs;
  return checkJob({
    ...JOB_DEFAULTS,
    id: 0n,
    publicId: randomUUID(),
    queue: storableText(job.queue),
    kind: storableText(job.kind),
    key: storableText(job.key),
    payload: storableJson(job.payload),
    priority,
    availableAt,
    due: availableAt <= now,
    maxAttempts,
    uniqueKey: storableText(unique?.key ?? null),
    uniqueScope: unique?.scope ?? JOB_DEFAULTS.uniqueScope,
    metadata: storableJson(job.metadata),
    createdAt: now,
    createdBy,
  });
}

export function notify({ database, tx }: Place, wakeUps: readonly WakeUp[]): void {
  tx.atCommit(() => database.ring(wakeUps));
}

/** SKIP LOCKED. Rows come in the order of their ids, so the first of the lowest priority is the next. */
export function claim({ database, tx }: Place, { queue, kinds, line, busy }: ClaimCriteria): Job | undefined {
  const now = database.clock.now();
  const passedOver = new Set<string | null>(busy);
  const found = database.tables.jobs.findOn(
    queue,
    tx,
    (job, row) =>
      job.status === 'new' &&
      job.due &&
      job.availableAt <= now &&
      (job.priority > line.priority || (job.priority === line.priority && job.id > line.id)) &&
      kinds.includes(job.kind) &&
      !passedOver.has(job.key) &&
      row.isFreeFor(tx),
  );
  const [first, ...others] = found;
  if (first === undefined) return undefined;
  const next = others.reduce(
    (best, each) => (each.value.priority < best.value.priority ? each : best),
    first,
  );
  tx.take(next.row);
  return toJob(next.value);
}

/** NOWAIT. */
export function lockSiblings({ database, tx }: Place, { queue, key }: Entity, limit: number): readonly Job[] {
  const now = database.clock.now();
  const found = database.tables.jobs.findOn(
    queue,
    tx,
    ({ key: own, status, availableAt }) =>
      own === key && (status === 'in-progress' || (status === 'new' && availableAt <= now)),
  );
  tx.takeNow(found.map(({ row }) => row));
  const jobs = found.map(({ value }) => value);
  const inProgress = jobs.filter(({ status }) => status === 'in-progress');
  const others = jobs.filter(({ status }) => status !== 'in-progress');
  return [...inProgress, ...others].slice(0, limit).map(toJob);
}

/** A plain read answers: a job whose handler runs is still outstanding in what is committed. */
export function firstOutstanding(
  { database, tx }: Place,
  { key, kinds, before, except }: DependencyQuestion,
): JobId | undefined {
  const [first] = database.tables.jobs.find(
    tx,
    (job) =>
      job.key === key &&
      job.id < before &&
      !isSettled(job.status) &&
      kinds.includes(job.kind) &&
      !except.includes(job.id),
  );
  return first?.value.id;
}

export async function startRun(
  { database, tx }: Place,
  { processId, workerId, jobs }: RunStart,
): Promise<readonly RunStarted[]> {
  const { runs } = database.tables;
  const started: RunStarted[] = [];
  for (const id of jobs) {
    await endRuns({ database, tx }, runs.findOn(id, tx), 'reclaim');
    const earlier = runs.findOn(id, tx);
    const crashes = earlier.filter(({ value }) => value.outcome === 'reclaim').length;
    started.push({ id, earlierRuns: earlier.length, crashes });
    const startedAt = database.clock.now();
    const fresh = { processId, workerId, jobId: id, startedAt, finishedAt: null, outcome: null };
    runs.insert(tx, () => ({ ...fresh, progress: 'null' }));
  }
  return started;
}

export async function noteProgress(
  { database, tx }: Place,
  processId: string,
  progress: string,
): Promise<void> {
  const found = database.tables.runs.find(tx, (run) => run.processId === processId);
  for (const { row } of found) {
    await tx.lock(row);
    const run = row.seenBy(tx);
    if (run !== undefined && run.finishedAt === null) tx.write(row, { ...run, progress });
  }
}

export async function endRun(place: Place, processId: string, outcome: string): Promise<void> {
  const { database, tx } = place;
  await endRuns(
    place,
    database.tables.runs.find(tx, (run) => run.processId === processId),
    outcome,
  );
}

/** Ends those that have no end yet, when their turn has come. */
async function endRuns(
  { database, tx }: Place,
  found: readonly Found<RunRow>[],
  outcome: string,
): Promise<void> {
  for (const { row, value } of found) {
    if (value.finishedAt !== null) continue;
    await tx.lock(row);
    const run = row.seenBy(tx);
    if (run === undefined || run.finishedAt !== null) continue;
    tx.write(row, { ...run, finishedAt: database.clock.now(), outcome });
  }
}

/** Writes those of `settlements` whose row this transaction has locked. */
export async function settle(
  place: Place,
  processId: string,
  settlements: readonly Settlement[],
): Promise<readonly JobId[]> {
  const { database, tx } = place;
  const { jobs, runs } = database.tables;
  const byId = new Map(settlements.map((settlement) => [settlement.id, settlement]));
  const found = jobs.find(tx, ({ id, status }, row) => byId.has(id) && status === 'new' && row.holder === tx);
  for (const { row, value } of found) {
    const settlement = byId.get(value.id);
    if (settlement === undefined) continue;
    tx.write(row, settled(value, processId, settlement, database.clock.now()));
    const own = runs.findOn(value.id, tx, (run) => run.processId === processId);
    await endRuns(place, own, settlement.event);
  }
  return found.map(({ value }) => value.id);
}

function settled(job: JobRow, processId: string, settlement: Settlement, now: number): JobRow {
  const { event, attempt, crashes, delayMs, tookMs, output, error, by } = settlement;
  const { to: status }: { to: State } = TRANSITIONS[event];
  const again = status === 'new';
  return checkJob({
    ...job,
    status,
    processId,
    attempt,
    crashes,
    output: storableJson(output),
    error: error === null ? null : storableJson(error),
    due: again ? delayMs === 0 : job.due,
    availableAt: again ? now + delayMs : job.availableAt,
    startedAt: now - tookMs,
    startedBy: by,
    finishedAt: again ? null : now,
    finishedBy: again ? null : by,
  });
}

/** SKIP LOCKED. */
export function survey({ database, tx }: Place, { queues, kinds }: Lanes): Survey {
  const now = database.clock.now();
  const jobs = queues.flatMap((queue) =>
    database.tables.jobs.findOn(queue, tx, ({ status }) => status === 'new'),
  );
  const waiting = jobs.some(
    ({ value }) => value.due && value.availableAt <= now && kinds.includes(value.kind),
  );
  const delayed = jobs.filter(({ value }) => !value.due);
  const later = delayed.filter(({ value }) => value.availableAt > now);
  const promoted = delayed.filter(({ row, value }) => value.availableAt <= now && row.isFreeFor(tx));
  for (const { row, value } of promoted) {
    tx.take(row);
    tx.write(row, { ...value, due: true });
  }
  const next = Math.min(...later.map(({ value }) => value.availableAt));
  return {
    promoted: promoted.length,
    nextDueMs: Number.isFinite(next) ? next - now : null,
    waiting,
  };
}

export function list({ database, tx }: Place, filter: JobFilter, { limit, before }: Page): JobPage {
  const { jobs } = database.tables;
  const found = jobs.find(tx, (job) => (before === null || job.id < before) && matches(job, filter));
  const page = found.toReversed().slice(0, limit);
  return {
    jobs: page.map(({ value }) => viewOf({ database, tx }, value)),
    next: found.length > limit ? (page.at(-1)?.value.id ?? null) : null,
  };
}

function viewOf({ database, tx }: Place, job: JobRow) {
  const last = database.tables.runs.findOn(job.id, tx).at(-1)?.value;
  return toJobView(job, last && liveRun({ database, tx }, job, last), last?.progress ?? 'null');
}

/** The newest run tells whether a live worker has the job: hold writes nothing into the row. */
function liveRun({ database, tx }: Place, job: JobRow, last: RunRow): LiveRun | undefined {
  const { processId, workerId, startedAt, finishedAt } = last;
  if (finishedAt !== null || isSettled(job.status) || !database.isAlive(workerId)) return undefined;
  const [worker] = database.tables.workers.findOn(workerId, tx);
  return { processId, worker: worker?.value.info.name ?? null, startedAt };
}

export function count({ database, tx }: Place, filter: JobFilter): Record<State, number> {
  const counts: Record<State, number> = { new: 0, 'in-progress': 0, complete: 0, error: 0, cancelled: 0 };
  for (const { value } of database.tables.jobs.find(tx, (job) => matches(job, filter))) {
    counts[value.status] += 1;
  }
  return counts;
}

function matches(job: JobRow, { publicId, queue, kind, key, status }: JobFilter): boolean {
  return (
    (publicId === undefined || job.publicId === publicId) &&
    (queue === undefined || job.queue === queue) &&
    (kind === undefined || job.kind === kind) &&
    (key === undefined || job.key === key) &&
    (status === undefined || job.status === status)
  );
}

/** SKIP LOCKED. */
export async function move({ database, tx }: Place, event: ClientEvent, publicId: string): Promise<Moved> {
  const { jobs } = database.tables;
  const [found] = jobs.find(tx, (job) => job.publicId === publicId);
  if (found === undefined) return { outcome: 'missing' };
  const { row, value: job } = found;
  const isFree = row.isFreeFor(tx);
  if (isFree && isLegal(event, job.status)) {
    tx.take(row);
    const after = moved(job, TRANSITIONS[event].to, database.clock.now());
    const there = isSettled(after.status) ? undefined : await holderOfUniqueKey(jobs, tx, after);
    if (there !== undefined) throw takenKey(job, there);
    tx.write(row, after);
    return { outcome: 'moved' };
  }
  const isHeld = job.status === 'in-progress' || (!isFree && isLegal(event, job.status));
  return isHeld && event === 'cancel' ? { outcome: 'running' } : { outcome: 'illegal', status: job.status };
}

function moved(job: JobRow, status: State, now: number): JobRow {
  return status === 'new'
    ? {
        ...job,
        status,
        attempt: 0,
        error: null,
        due: true,
        availableAt: now,
        finishedAt: null,
        finishedBy: null,
      }
    : { ...job, status, finishedAt: now, finishedBy: hostname() };
}

function takenKey({ id, kind, uniqueKey }: JobRow, there: JobRow): DriverError {
  const cause = new Error(
    `The key ${JSON.stringify(uniqueKey)} of kind ${kind} is that of job ${there.id}, not ${id}.`,
  );
  return new DriverError('UniqueViolation', 'Another job has the unique key.', { cause });
}

export function addWorker({ database, tx }: Place, given: WorkerInfo): string {
  const { name, host, pid, queues } = given;
  const info = { name, host, pid, queues: [...queues] };
  const startedAt = database.clock.now();
  const { id } = database.tables.workers.insert(tx, (id) => ({
    id: String(id),
    info,
    startedAt,
    stoppedAt: null,
    lines: '{}',
  }));
  return id;
}

export async function reportLines({ database, tx }: Place, id: string, lines: WorkerLines): Promise<void> {
  for (const { row, value } of database.tables.workers.findOn(id, tx)) {
    await tx.lock(row);
    tx.write(row, { ...value, lines: storableJson(lines) });
  }
}

export async function stopWorker({ database, tx }: Place, id: string): Promise<void> {
  for (const { row, value } of database.tables.workers.findOn(id, tx)) {
    await tx.lock(row);
    tx.write(row, { ...value, stoppedAt: database.clock.now(), lines: '{}' });
  }
}

export function workers({ database, tx }: Place): readonly WorkerView[] {
  const since = database.clock.now() - HOUR_MS;
  return database.tables.workers
    .find(tx, ({ id, startedAt, stoppedAt }) => database.isAlive(id) || (stoppedAt ?? startedAt) > since)
    .map(({ value }) => toWorkerView(value, database.isAlive(value.id)))
    .toReversed();
}
