import {
  type ClaimCriteria,
  type ClientEvent,
  type DependencyQuestion,
  DriverError,
  type Enqueued,
  type Entities,
  type Graves,
  type HistoryEntry,
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
  type Reclaimed,
  type RunRef,
  type RunStart,
  type RunStarted,
  type Settlement,
  type State,
  type Stretch,
  type Survey,
  type WakeUp,
  type WorkerInfo,
  type WorkerLines,
  type WorkerView,
} from '@rowlock/core';
import type { Database } from './database.js';
import { enqueued, moved, settled } from './job-changes.js';
import type { JobRow } from './job-row.js';
import { type LiveRun, type RunRow, toJob, toJobView, toWorkerView } from './rows.js';
import { storableJson } from './storable.js';
import type { Found } from './table.js';
import type { Transaction } from './transaction.js';
import { holderOfUniqueKey } from './unique-key.js';

/** Where a statement runs. */
export interface Place {
  readonly database: Database;
  readonly tx: Transaction;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

// Every statement of the driver, in the order of the flow.

export async function enqueue(place: Place, jobs: readonly NewJob[]): Promise<readonly Enqueued[]> {
  const { database, tx } = place;
  const outcomes: Enqueued[] = [];
  for (const job of jobs) {
    const given = enqueued(job, database.clock.now());
    const there = await holderOfUniqueKey(database.tables.jobs, tx, given);
    if (there === undefined) database.tables.jobs.insert(tx, (id) => ({ ...given, id }));
    outcomes.push(
      there === undefined
        ? { outcome: 'enqueued', publicId: given.publicId }
        : { outcome: 'duplicate', publicId: there.publicId },
    );
  }
  return outcomes;
}

export function notify({ database, tx }: Place, wakeUps: readonly WakeUp[]): void {
  tx.atCommit(() => database.ring(wakeUps));
}

/** SKIP LOCKED. Rows come in the order of their ids, which sorting by priority keeps. */
export function claim({ database, tx }: Place, criteria: ClaimCriteria): readonly Job[] {
  const { queue, kinds, line, busy, limit } = criteria;
  const now = database.clock.now();
  const passedOver = new Set<string | null>(busy);
  const found = database.tables.jobs.findBy(
    'queue',
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
  const first = found.toSorted((one, other) => one.value.priority - other.value.priority).slice(0, limit);
  for (const { row } of first) tx.take(row);
  return first.map(({ value }) => toJob(value));
}

/** NOWAIT. */
export function lockSiblings(
  { database, tx }: Place,
  { queue, keys }: Entities,
  limit: number,
): readonly Job[] {
  const now = database.clock.now();
  const found = keys.map((key) =>
    database.tables.jobs.findBy(
      'key',
      key,
      tx,
      ({ queue: own, status, availableAt }) =>
        own === queue && (status === 'in-progress' || (status === 'new' && availableAt <= now)),
    ),
  );
  tx.takeNow(found.flat().map(({ row }) => row));
  return found.flatMap((ofKey) => {
    const jobs = ofKey.map(({ value }) => value);
    const inProgress = jobs.filter(({ status }) => status === 'in-progress');
    const others = jobs.filter(({ status }) => status !== 'in-progress');
    return [...inProgress, ...others].slice(0, limit).map(toJob);
  });
}

/** A plain read answers: a job whose handler runs is still outstanding in what is committed. */
export function firstOutstanding(
  { database, tx }: Place,
  { key, kinds, before, except }: DependencyQuestion,
): JobId | undefined {
  const [first] = database.tables.jobs.findBy(
    'key',
    key,
    tx,
    (job) =>
      job.id < before && !isSettled(job.status) && kinds.includes(job.kind) && !except.includes(job.id),
  );
  return first?.value.id;
}

export function lease(
  { database, tx }: Place,
  processId: string,
  jobs: readonly JobId[],
  forMs: number,
): void {
  const leasedUntil = database.clock.now() + forMs;
  for (const id of jobs) {
    for (const { row, value } of database.tables.jobs.findBy(
      'id',
      id,
      tx,
      ({ status }) => status === 'new',
    )) {
      tx.write(row, { ...value, status: 'in-progress', processId, leasedUntil });
    }
  }
}

/** Waits for those who look at the key's jobs just now. */
export async function lockLeased(
  { database, tx }: Place,
  processId: string,
  jobs: readonly JobId[],
): Promise<ReadonlyMap<JobId, State>> {
  const states = new Map<JobId, State>();
  for (const id of jobs) {
    for (const { row } of database.tables.jobs.findBy('id', id, tx, (job) => job.processId === processId)) {
      await tx.waitFor(row);
      const job = row.seenBy(tx);
      if (job?.processId !== processId) continue;
      tx.take(row);
      states.set(id, job.status);
    }
  }
  return states;
}

export async function startRuns(place: Place, starts: readonly RunStart[]): Promise<readonly RunStarted[]> {
  const { database, tx } = place;
  const { runs } = database.tables;
  const started: RunStarted[] = [];
  for (const { processId, workerId, jobs } of starts) {
    for (const id of jobs) {
      const unfinished = runs.findBy('jobId', id, tx, ({ finishedAt }) => finishedAt === null);
      await endRuns(place, unfinished, 'reclaim', (run) => run.finishedAt === null);
      const earlier = runs.findBy('jobId', id, tx);
      const crashes = earlier.filter(({ value }) => value.outcome === 'reclaim').length;
      if (earlier.length > 0) started.push({ id, earlierRuns: earlier.length, crashes });
      const startedAt = database.clock.now();
      const fresh = { processId, workerId, jobId: id, startedAt, finishedAt: null, outcome: null };
      runs.insert(tx, () => ({ ...fresh, progress: 'null' }));
    }
  }
  return started;
}

export async function noteProgress(place: Place, run: RunRef, progress: string): Promise<void> {
  const { tx } = place;
  for (const { row } of recordsOf(place, run)) {
    await tx.lock(row);
    const record = row.seenBy(tx);
    if (record !== undefined && record.finishedAt === null) tx.write(row, { ...record, progress });
  }
}

export async function release(place: Place, run: RunRef): Promise<void> {
  await endRuns(place, recordsOf(place, run), 'release');
}

function recordsOf({ database, tx }: Place, { processId, jobs }: RunRef): readonly Found<RunRow>[] {
  return database.tables.runs.findBy('processId', processId, tx, ({ jobId }) => jobs.includes(jobId));
}

/** Each when its turn has come, if it is then still to be ended. */
async function endRuns(
  { database, tx }: Place,
  found: readonly Found<RunRow>[],
  outcome: string,
  isToEnd: (run: RunRow) => boolean = () => true,
): Promise<void> {
  for (const { row } of found) {
    await tx.lock(row);
    const run = row.seenBy(tx);
    if (run === undefined || !isToEnd(run)) continue;
    tx.write(row, { ...run, finishedAt: database.clock.now(), outcome });
  }
}

/** Writes those of `settlements` whose row this transaction has locked. Of a job that is complete the row says which run did it. */
export async function settle(
  place: Place,
  settlements: readonly Settlement[],
  from: State,
): Promise<readonly JobId[]> {
  const { database, tx } = place;
  const written: JobId[] = [];
  for (const settlement of settlements) {
    const { id, processId, event } = settlement;
    const found = database.tables.jobs.findBy(
      'id',
      id,
      tx,
      ({ status }, row) => status === from && row.holder === tx,
    );
    for (const { row, value } of found) {
      tx.write(row, settled(value, settlement, database.clock.now()));
      // Also one that was noted as ended: the settlement is what holds.
      if (event !== 'complete') await endRuns(place, recordsOf(place, { processId, jobs: [id] }), event);
      written.push(id);
    }
  }
  return written;
}

/** SKIP LOCKED. */
export function survey({ database, tx }: Place, { queues, kinds }: Lanes): Survey {
  const now = database.clock.now();
  const jobs = queues.flatMap((queue) =>
    database.tables.jobs.findBy('queue', queue, tx, ({ status }) => status === 'new'),
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
    leased: leasedIn({ database, tx }, queues).length > 0,
  };
}

function leasedIn({ database, tx }: Place, queues: readonly string[]): readonly Found<JobRow>[] {
  return queues.flatMap((queue) =>
    database.tables.jobs.findBy('queue', queue, tx, ({ status }) => status === 'in-progress'),
  );
}

/** SKIP LOCKED. */
export function reclaim(place: Place, { queues, dead }: Graves): Reclaimed {
  const { database, tx } = place;
  const lapsed = new Set<string>();
  let reclaimed = 0;
  for (const { row, value } of leasedIn(place, queues)) {
    const runs = database.tables.runs.findBy(
      'jobId',
      value.id,
      tx,
      (run) => run.processId === value.processId,
    );
    const workerId = runs[0]?.value.workerId;
    if (workerId === undefined) continue;
    const isLapsed = !isAlive(place, workerId);
    if (isLapsed) lapsed.add(workerId);
    const isOver = (value.leasedUntil ?? 0) < database.clock.now();
    if (!(isOver || (isLapsed && dead.includes(workerId))) || !row.isFreeFor(tx)) continue;
    tx.take(row);
    // Without its process id no run can take the job for its own any more.
    tx.write(row, { ...value, status: 'new', processId: null });
    reclaimed += 1;
  }
  return { reclaimed, lapsed: [...lapsed] };
}

export function history(
  { database, tx }: Place,
  { beyond, newestFirst, limit }: Stretch,
): readonly HistoryEntry[] {
  const now = database.clock.now();
  const isBeyond = (id: JobId): boolean => beyond === null || (newestFirst ? id < beyond : id > beyond);
  const found = database.tables.jobs.find(tx, ({ id }) => isBeyond(id));
  const ordered = newestFirst ? found.toReversed() : found;
  return ordered.slice(0, limit).map(({ value: { id, queue, status, createdAt, finishedAt } }) => ({
    id,
    queue,
    status,
    createdMs: Math.floor(now - createdAt),
    settledMs: finishedAt === null ? null : Math.floor(now - finishedAt),
  }));
}

/** SKIP LOCKED. */
export async function prune(
  { database, tx }: Place,
  jobs: readonly JobId[],
  settledMs: number,
): Promise<number> {
  const { tables, clock } = database;
  let pruned = 0;
  for (const id of jobs) {
    const settledBefore = clock.now() - settledMs;
    const found = tables.jobs.findBy(
      'id',
      id,
      tx,
      ({ finishedAt }, row) => finishedAt !== null && finishedAt <= settledBefore && row.isFreeFor(tx),
    );
    for (const { row } of found) {
      tx.take(row);
      tx.write(row, undefined);
      pruned += 1;
      for (const run of tables.runs.findBy('jobId', id, tx)) {
        await tx.lock(run.row);
        tx.write(run.row, undefined);
      }
    }
  }
  return pruned;
}

export async function takePruneTurn(
  { database, tx }: Place,
  workerId: string,
  forMs: number,
): Promise<boolean> {
  const { workers: all } = database.tables;
  const now = database.clock.now();
  const others = all.find(tx, ({ id, prunesUntil }) => id !== workerId && (prunesUntil ?? 0) > now);
  const [own] = all.findBy('id', workerId, tx);
  if (others.length > 0 || own === undefined) return false;
  await tx.lock(own.row);
  tx.write(own.row, { ...own.value, prunesUntil: now + forMs });
  return true;
}

export function list({ database, tx }: Place, filter: JobFilter, { limit, before }: Page): JobPage {
  const found = matching({ database, tx }, filter, before);
  const page = found.toReversed().slice(0, limit);
  return {
    jobs: page.map(({ value }) => viewOf({ database, tx }, value)),
    next: found.length > limit ? (page.at(-1)?.value.id ?? null) : null,
  };
}

function viewOf({ database, tx }: Place, job: JobRow) {
  const last = database.tables.runs.findBy('jobId', job.id, tx).at(-1)?.value;
  return toJobView(job, last && liveRun({ database, tx }, job, last), last?.progress ?? 'null');
}

/** The newest run tells whether a live worker has the job: hold writes nothing into the row. */
function liveRun({ database, tx }: Place, job: JobRow, last: RunRow): LiveRun | undefined {
  const { processId, workerId, startedAt, finishedAt } = last;
  if (finishedAt !== null || isSettled(job.status) || !isAlive({ database, tx }, workerId)) return undefined;
  const [worker] = database.tables.workers.findBy('id', workerId, tx);
  return { processId, worker: worker?.value.info.name ?? null, startedAt };
}

export function count({ database, tx }: Place, filter: JobFilter): Record<State, number> {
  const counts: Record<State, number> = { new: 0, 'in-progress': 0, complete: 0, error: 0, cancelled: 0 };
  for (const { value } of matching({ database, tx }, filter)) counts[value.status] += 1;
  return counts;
}

function matching(
  { database, tx }: Place,
  { publicId, queue, kind, key, status }: JobFilter,
  before: JobId | null = null,
): readonly Found<JobRow>[] {
  const { jobs } = database.tables;
  const matches = (job: JobRow): boolean =>
    (before === null || job.id < before) &&
    (queue === undefined || job.queue === queue) &&
    (kind === undefined || job.kind === kind) &&
    (key === undefined || job.key === key) &&
    (status === undefined || job.status === status);
  return publicId === undefined ? jobs.find(tx, matches) : jobs.findBy('publicId', publicId, tx, matches);
}

/** SKIP LOCKED. */
export async function move({ database, tx }: Place, event: ClientEvent, publicId: string): Promise<Moved> {
  const { jobs } = database.tables;
  const [found] = jobs.findBy('publicId', publicId, tx);
  if (found === undefined) return { outcome: 'missing' };
  const { row, value: job } = found;
  const isFree = row.isFreeFor(tx);
  if (isFree && isLegal(event, job.status)) {
    tx.take(row);
    const after = moved(job, event, database.clock.now());
    const there = isSettled(after.status) ? undefined : await holderOfUniqueKey(jobs, tx, after);
    if (there !== undefined) throw takenKey(job, there);
    tx.write(row, after);
    return { outcome: 'moved' };
  }
  const isHeld = job.status === 'in-progress' || (!isFree && isLegal(event, job.status));
  return isHeld && event === 'cancel' ? { outcome: 'running' } : { outcome: 'illegal', status: job.status };
}

function takenKey({ id, kind, uniqueKey }: JobRow, there: JobRow): DriverError {
  const cause = new Error(
    `The key ${JSON.stringify(uniqueKey)} of kind ${kind} is that of job ${there.id}, not ${id}.`,
  );
  return new DriverError('UniqueViolation', 'Another job has the unique key.', { cause });
}

/** One that is alive may be without its session for a moment: hence the month for those who did not say that they stop. */
export async function forgetWorkers(place: Place): Promise<void> {
  const { database, tx } = place;
  const before = database.clock.now() - DAY_MS;
  const gone = database.tables.workers.find(
    tx,
    ({ id, startedAt, stoppedAt, aliveUntil }) =>
      (stoppedAt ?? aliveUntil ?? startedAt + 30 * DAY_MS) < before && !isAlive(place, id),
  );
  for (const { row } of gone) {
    await tx.lock(row);
    tx.write(row, undefined);
  }
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
    aliveUntil: null,
    prunesUntil: null,
    lines: '{}',
  }));
  return id;
}

export async function reportLines({ database, tx }: Place, id: string, lines: WorkerLines): Promise<void> {
  for (const { row, value } of database.tables.workers.findBy('id', id, tx)) {
    await tx.lock(row);
    tx.write(row, { ...value, lines: storableJson(lines) });
  }
}

export async function stopWorker({ database, tx }: Place, id: string): Promise<void> {
  for (const { row, value } of database.tables.workers.findBy('id', id, tx)) {
    await tx.lock(row);
    tx.write(row, { ...value, stoppedAt: database.clock.now(), aliveUntil: null, lines: '{}' });
  }
}

/** @returns whether the worker has not stopped. */
export async function beat({ database, tx }: Place, id: string, forMs: number): Promise<boolean> {
  const [found] = database.tables.workers.findBy('id', id, tx, ({ stoppedAt }) => stoppedAt === null);
  if (found === undefined) return false;
  await tx.lock(found.row);
  tx.write(found.row, { ...found.value, aliveUntil: database.clock.now() + forMs });
  return true;
}

/** By its session, or by its heartbeat. */
function isAlive({ database, tx }: Place, id: string): boolean {
  const now = database.clock.now();
  const beats = database.tables.workers.findBy('id', id, tx, ({ aliveUntil }) => (aliveUntil ?? 0) > now);
  return database.hasSession(id) || beats.length > 0;
}

export function workers(place: Place): readonly WorkerView[] {
  const { database, tx } = place;
  const since = database.clock.now() - HOUR_MS;
  return database.tables.workers
    .find(tx, ({ id, startedAt, stoppedAt }) => isAlive(place, id) || (stoppedAt ?? startedAt) > since)
    .map(({ value }) => toWorkerView(value, isAlive(place, value.id)))
    .toReversed();
}
