/**
 * The flow, top to bottom: sweep → claim → check → group → run → settle → commit.
 *
 * `sweep` passes through a queue once. Each `step` of it opens a transaction, claims the next job beyond the
 * line, and takes it to its end; the claim is the row lock that this transaction holds, so whatever kills the
 * process gives the job back. A claim that is leased is committed instead, and lasts as long as the worker's session.
 */

import type { DependencyContainer } from 'tsyringe';
import { v4 as uuid } from 'uuid';
import type { Clock } from '../clock.js';
import type { Driver, HeldTransaction, RunTransaction, Settlement } from '../driver/driver.js';
import { isDriverError } from '../driver/driver-error.js';
import { ClaimLostError, WorkerStoppedError } from '../errors.js';
import type { AnyHandler } from '../handler/handler.js';
import { retry } from '../handler/outcome.js';
import type { Registry } from '../handler/registry.js';
import type { Job } from '../job/job.js';
import { type CountedJob, countRuns, type Ending, settlementFor } from '../job/settlement.js';
import type { Logger } from '../logger.js';
import { limitMs } from './bounds.js';
import { check, noOutcome, outcomeOf } from './ending.js';
import type { RunInfo, WorkerEmitter } from './events.js';
import { warnAtHalfTime } from './half-time.js';
import { Lease } from './lease.js';
import { leaveBehind } from './left-behind.js';
import { LiveRun } from './live-run.js';
import { type CheckedJob, runHandler } from './run-handler.js';
import { type Settling, settleHeld, settleLease } from './settle.js';
import type { Sweep } from './sweep.js';

/** What the flow of one worker stands on. */
export interface Flow<Tx> {
  readonly driver: Driver<Tx>;
  readonly registry: Registry<Tx>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: WorkerEmitter;
  readonly container: DependencyContainer | undefined;
  readonly workerId: string;
  readonly host: string;
  /** How long the server lets a held claim be, in milliseconds. */
  readonly idleLimitMs: number;
  /** Entities that this process has now: its other slots need not ask the server about them. */
  readonly taken: Set<string>;
  /** The runs going on in this process. */
  readonly live: Set<LiveRun>;
  /** Handlers that ignored their signals and have not ended yet. */
  readonly leftBehind: Set<string>;
  /** Aborted when the worker stops: no further job is claimed. */
  readonly stopping: AbortSignal;
  /** Whether the worker's session is open: without it nothing is leased. */
  readonly anchored: () => boolean;
  /** Called when a sweep has come to a job. */
  readonly looked: (pass: Sweep, job: Job) => void;
  /** Called when a run is about to begin: where one job was, more may be. */
  readonly claimed: () => void;
}

/** One run's jobs, all under this transaction's locks. */
interface Group<Tx> {
  readonly handler: AnyHandler<Tx>;
  readonly jobs: readonly [Job, ...Job[]];
}

/** How long a sweep may go on before it starts from the beginning again, in milliseconds. */
const SWEEP_MS = 1_000;

/**
 * Passes through a queue until nothing is found beyond the line. Ids become visible out of order and jobs come
 * back behind the line, so under lasting load it ends after `SWEEP_MS`, and the caller sweeps again.
 */
export async function sweep<Tx>(flow: Flow<Tx>, pass: Sweep): Promise<void> {
  const until = flow.clock.now() + SWEEP_MS;
  while (!flow.stopping.aborted && flow.clock.now() < until) {
    const step = await nextStep(flow, pass);
    if (step === 'end') return;
    if (step === 'worked') pass.worked = true;
  }
}

/** Claims the next job beyond the line and takes it to its end. */
async function nextStep<Tx>(flow: Flow<Tx>, pass: Sweep): Promise<'worked' | 'blocked' | 'end'> {
  const tx = await flow.driver.begin({ idleLimitMs: flow.idleLimitMs });
  let entity: string | undefined;
  try {
    const job = await claim(flow, tx, pass);
    if (job === undefined) return 'end';
    pass.moveLine(job);
    flow.looked(pass, job);

    entity = take(flow, job);
    const group = entity === undefined ? undefined : await lockGroup(flow, tx, job);
    if (group === undefined || (group.handler.claim === 'lease' && !flow.anchored())) {
      pass.skip(job);
      flow.events.emit('blocked', job);
      return 'blocked';
    }
    // The worker was told to stop while this claim was on its way, and may have stopped its runs already.
    if (flow.stopping.aborted) return 'end';

    await work(flow, tx, group);
    return 'worked';
  } finally {
    if (entity !== undefined) flow.taken.delete(entity);
    // After a commit there is nothing left to roll back, and this does nothing.
    await tx.rollback();
  }
}

/** SKIP LOCKED: the first due job beyond the line whose entity this process does not already have. */
function claim<Tx>(flow: Flow<Tx>, tx: HeldTransaction<Tx>, pass: Sweep): Promise<Job | undefined> {
  const { queue, line, busy } = pass;
  const prefix = `${queue}\n`;
  const taken = [...flow.taken].filter((entity) => entity.startsWith(prefix));
  return tx.claim({
    queue,
    line,
    kinds: flow.registry.kinds,
    busy: [...busy, ...taken.map((entity) => entity.slice(prefix.length))],
  });
}

/** Marks the job's entity as this slot's; undefined when another slot of this process was quicker. */
function take<Tx>({ taken }: Flow<Tx>, { queue, key, publicId }: Job): string | undefined {
  const entity = key === null ? publicId : `${queue}\n${key}`;
  if (taken.has(entity)) return undefined;
  taken.add(entity);
  return entity;
}

/**
 * Check and group, NOWAIT: the jobs of the next run of the claimed job's key, in id order, or undefined when it
 * is blocked. Of two workers that hold different jobs of a key, the one that looks later meets the other's lock.
 */
async function lockGroup<Tx>(
  { registry }: Flow<Tx>,
  tx: HeldTransaction<Tx>,
  claimed: Job,
): Promise<Group<Tx> | undefined> {
  const siblings = await lockSiblings(tx, claimed, registry);
  const [head] = siblings;
  // Jobs of a key start in id order: the first of them goes, even if another one was claimed for its priority.
  const handler = head && registry.find(head.kind);
  if (handler === undefined || siblings.some(({ status }) => status === 'in-progress')) return undefined;

  // A job of another kind in between keeps its turn.
  const end = siblings.findIndex(({ kind }) => kind !== handler.kind);
  const own = siblings.slice(0, Math.min(handler.groupMax, end === -1 ? siblings.length : end));
  const [first, ...rest] = await withoutDependants(tx, handler, own);
  return first && { handler, jobs: [first, ...rest] };
}

async function lockSiblings<Tx>(
  tx: HeldTransaction<Tx>,
  claimed: Job,
  registry: Registry<Tx>,
): Promise<readonly Job[]> {
  const { queue, key } = claimed;
  if (key === null) return [claimed];
  try {
    return await tx.lockSiblings({ queue, key }, registry.largestGroup);
  } catch (error) {
    if (isDriverError(error, 'LockNotAvailable') || isDriverError(error, 'Deadlock')) return [];
    throw error;
  }
}

/** Leaves out the jobs that an earlier, outstanding job of the kinds in `after` still holds up. */
async function withoutDependants<Tx>(
  tx: HeldTransaction<Tx>,
  { after }: AnyHandler<Tx>,
  jobs: readonly Job[],
): Promise<readonly Job[]> {
  const last = jobs.at(-1);
  if (last === undefined || last.key === null || after.length === 0) return jobs;
  const except = jobs.map(({ id }) => id);
  const first = await tx.firstOutstanding({ key: last.key, kinds: after, before: last.id, except });
  return first === undefined ? jobs : jobs.filter(({ id }) => id < first);
}

/**
 * Runs the handler over the group and settles it: in the claim's own transaction, or, when the claim is leased, in
 * one that begins when it is needed.
 */
async function work<Tx>(
  flow: Flow<Tx>,
  held: HeldTransaction<Tx>,
  { handler, jobs }: Group<Tx>,
): Promise<void> {
  const live = new LiveRun(uuid(), jobs, handler.claim === 'lease');
  const info = runInfo(live.processId, handler, jobs);
  const started = flow.clock.now();
  let lease: Lease<Tx> | undefined;
  const endHalfTime = live.leased ? () => {} : warnAtHalfTime(flow, info, flow.idleLimitMs);
  flow.live.add(live);
  try {
    const counted = await startRun(flow, live, jobs);
    let taken = true;
    if (live.leased) [lease, taken] = await takeLease(flow, held, live, handler, jobs);
    flow.events.emit('run', info);
    flow.claimed();
    const endings = taken ? await run(flow, lease ?? held, handler, live, counted) : 'release';
    if (endings === 'release' && lease === undefined) return await release(flow, held, info);
    const tookMs = Math.round(flow.clock.now() - started);
    const policy = { backoff: handler.backoff, tookMs, by: flow.host };
    const ending = (job: Job): Ending =>
      endings === 'release' ? { event: 'release' } : (endings.get(job.id) ?? noOutcome(job));
    const settling: Settling = {
      processId: live.processId,
      settlements: counted.map((job) => settlementFor(job, ending(job), policy)),
      instead: (error) => counted.map((job) => settlementFor(job, retry(error), policy)),
    };
    const written = await (lease
      ? settleLease(lease, settling, (ms, error) => wait(flow, ms, error))
      : settleHeld(held, settling));
    if (endings === 'release') flow.events.emit('released', info);
    else tell(flow, info, counted, written, tookMs);
  } catch (error) {
    if (!isDriverError(error, 'ConnectionLost') && !(error instanceof ClaimLostError)) throw error;
    flow.log.warn({ error, ...info }, 'the claim was lost; its jobs are claimable again');
    flow.events.emit('lost', info, error);
  } finally {
    endHalfTime();
    flow.live.delete(live);
    await lease?.rollback();
  }
}

/** Commits the claim: from here on it is kept by the worker's session, and settled in another transaction. */
async function takeLease<Tx>(
  { driver }: Flow<Tx>,
  held: HeldTransaction<Tx>,
  { processId }: LiveRun,
  { timeoutMs }: AnyHandler<Tx>,
  jobs: readonly Job[],
): Promise<[lease: Lease<Tx>, taken: boolean]> {
  const ids = jobs.map(({ id }) => id);
  const idleLimitMs = limitMs(timeoutMs);
  const lease = new Lease(driver, { idleLimitMs }, processId, ids);
  try {
    await held.lease(processId, ids, idleLimitMs);
    return [lease, true];
  } catch (error) {
    if (!isDriverError(error, 'ConnectionLost')) throw error;
    // It may have been committed, and only the answer was lost: then it is to be given back.
    return [lease, false];
  }
}

/** Between two attempts to settle a lease. A worker that stops does not wait: its jobs are reclaimed when its session ends. */
function wait<Tx>({ clock, log, stopping }: Flow<Tx>, ms: number, error: unknown): Promise<void> {
  log.warn({ error }, 'a lease could not be settled; trying again');
  return new Promise((resolve, reject) => {
    if (stopping.aborted) reject(error);
    else clock.after(ms, resolve);
  });
}

/** Writes the run's record where everybody sees it, and learns how often these jobs crashed before. */
async function startRun<Tx>(
  flow: Flow<Tx>,
  live: LiveRun,
  jobs: readonly Job[],
): Promise<readonly CountedJob[]> {
  const { processId } = live;
  const records = await flow.driver.startRun({
    processId,
    workerId: flow.workerId,
    jobs: jobs.map(({ id }) => id),
  });
  const byId = new Map(records.map((record) => [record.id, record]));
  return jobs.map((job) => countRuns(job, byId.get(job.id) ?? { crashes: job.crashes, earlierRuns: 0 }));
}

/** How the run ended for each of its jobs; jobs that must not be run are not shown to the handler. */
async function run<Tx>(
  flow: Flow<Tx>,
  tx: RunTransaction<Tx>,
  handler: AnyHandler<Tx>,
  live: LiveRun,
  jobs: readonly CountedJob[],
): Promise<ReadonlyMap<Job['id'], Ending> | 'release'> {
  const endings = new Map<Job['id'], Ending>();
  const checked: CheckedJob[] = [];
  for (const job of jobs) {
    const found = await check(handler, job, flow.clock);
    if ('ending' in found) endings.set(job.id, found.ending);
    else checked.push(found);
  }
  const [first, ...rest] = checked;
  if (first === undefined) return endings;

  try {
    const { driver, clock, log, container } = flow;
    const call = { handler, jobs: [first, ...rest], tx, live, driver, clock, log, container } as const;
    const leave = (ended: Promise<unknown>): void =>
      leaveBehind(flow, runInfo(live.processId, handler, jobs), ended);
    const result = await runHandler(call, leave);
    for (const { job } of checked) endings.set(job.id, outcomeOf(result, job));
  } catch (error) {
    if (tx.lost.aborted) throw error;
    await tx.undo();
    // The worker stops, or a lease has been without the worker's session for too long.
    const { reason } = live.signal;
    if (reason instanceof WorkerStoppedError || reason instanceof ClaimLostError) return 'release';
    flow.log.warn({ error, ...runInfo(live.processId, handler, jobs) }, 'the handler failed');
    for (const { job } of checked) endings.set(job.id, retry(error));
  }
  for (const { job } of checked) {
    if (live.cancelled.has(job.publicId) && endings.get(job.id)?.event !== 'complete') {
      endings.set(job.id, { event: 'abandon', error: live.signal.reason ?? 'cancelled' });
    }
  }
  return endings;
}

/** Gives the jobs back as they were: the worker stops. */
async function release<Tx>(flow: Flow<Tx>, tx: HeldTransaction<Tx>, info: RunInfo): Promise<void> {
  // In the claim's own transaction: a worker that has lost its claim has nothing to give back.
  await tx.release(info.processId);
  flow.events.emit('released', info);
}

function tell<Tx>(
  flow: Flow<Tx>,
  info: RunInfo,
  jobs: readonly CountedJob[],
  settlements: readonly Settlement[],
  tookMs: number,
): void {
  const endings = new Map(jobs.map((job, index) => [job.publicId, settlements[index]?.event ?? 'retry']));
  flow.log.debug({ ...info, tookMs, endings: [...new Set(endings.values())] }, 'settled');
  flow.events.emit('settled', info, endings, tookMs);
}

function runInfo<Tx>(processId: string, { kind, queue }: AnyHandler<Tx>, jobs: readonly Job[]): RunInfo {
  return { processId, queue, kind, key: jobs[0]?.key ?? null, jobs: jobs.map(({ publicId }) => publicId) };
}
