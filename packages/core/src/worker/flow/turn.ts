/**
 * The flow, top to bottom: sweep → claim → check → group → run → settle → commit.
 *
 * `sweep` passes through a queue once. Each step of it opens a transaction, claims the next job beyond the line, or as
 * many as go in one batch, and takes them to their end; the claim is the row lock that this transaction holds, so whatever
 * kills the process gives the jobs back. A claim that is leased is committed instead, and lasts as long as the worker's session.
 */

import type { HeldTransaction, RunRef, Settlement } from '../../driver/driver.js';
import { isDriverError } from '../../driver/driver-error.js';
import { ClaimLostError } from '../../errors.js';
import type { Job } from '../../job/job.js';
import { isSilent } from '../../logger.js';
import type { Sweep } from '../look/sweep.js';
import type { RunRecord } from '../record/run-records.js';
import { behindRecord } from '../run/behind-record.js';
import { perform, performTogether } from '../run/perform.js';
import type { Run } from '../run/run.js';
import { SharedTransaction } from '../run/shared-transaction.js';
import { limitMs } from '../run/time-limits.js';
import { tellFailures } from '../tell/failures.js';
import { warnAtHalfTime } from '../tell/half-time.js';
import { hearsOfSettled, tellSettled } from '../tell/settled.js';
import type { Search } from './batch-sizes.js';
import type { Flow } from './context.js';
import { type Chain, lockGroups } from './group.js';
import { Lease } from './lease.js';
import { type Settlements, settleHeld, settleLease } from './settle.js';
import { Untold } from './untold.js';

/** How long a sweep may go on before it starts from the beginning again, in milliseconds: what is urgent waits so long behind a backlog. */
const SWEEP_MS = 500;

/** So many busy keys at most are named in a claim; a job of another one is met and left again. */
const BUSY_KEYS = 1_000;

/** A settlement that is on its way. */
interface Settling {
  /** Everybody sees it. Rejects as `ended` does, if that comes first. */
  readonly committed: Promise<void>;
  /** It is on the disk, and told of. */
  readonly ended: Promise<void>;
}

/** How far some work has come. */
interface Progress {
  /** Nothing is left to do but the settlement. */
  readonly settles: () => void;
  /** Everybody sees the settlement. */
  readonly committed: () => void;
}

/** What a step met, and the transaction that it is settling still: the next step may begin right behind it. */
interface Step<Tx> {
  readonly met: 'worked' | 'blocked' | 'apart' | 'end';
  /** Where the jobs cannot share a transaction: as many of them may be claimed again. */
  readonly most?: number;
  readonly settling?: Settling & { readonly tx: HeldTransaction<Tx> };
}

/**
 * Passes through a queue until nothing is found beyond the line. Ids become visible out of order and jobs come
 * back behind the line, so under lasting load it ends after `SWEEP_MS`, and the caller sweeps again.
 */
export async function sweep<Tx>(flow: Flow<Tx>, pass: Sweep): Promise<void> {
  const until = flow.clock.now() + SWEEP_MS;
  let step: Step<Tx> = { met: 'blocked' };
  const untold = new Untold();
  try {
    while (step.met !== 'end' && !flow.stopping.aborted && flow.clock.now() < until) {
      step = await nextStep(flow, pass, step);
      if (step.settling) await untold.add(step.settling.ended);
      if (step.met !== 'worked') continue;
      pass.worked = true;
      pass.isAnswered = pass.mayRest && flow.answered();
      if (pass.isAnswered) return;
    }
    if (step.met !== 'end') pass.leaveOff(flow.clock.now());
  } finally {
    await untold.rest();
  }
}

/** Claims the next jobs beyond the line, one unless they go in batches, and takes them to their end, or to their settlement. */
async function nextStep<Tx>(flow: Flow<Tx>, pass: Sweep, step: Step<Tx>): Promise<Step<Tx>> {
  const { settling: before, most } = step;
  const search = await flow.sizes.search(pass.queue, most);
  pass.catchUp(most !== undefined);
  const taken = new Set<string>();
  let tx: HeldTransaction<Tx> | undefined;
  let settling: Settling | undefined;
  try {
    const { idleLimitMs } = flow;
    tx = await flow.driver.begin(before ? { idleLimitMs, after: before.tx } : { idleLimitMs });
    const jobs = await claim(flow, tx, pass, search);
    if (before !== undefined) await before.committed;
    // Those that cannot share this transaction would be locked until its end, and run by nobody.
    const together = flow.sizes.together(jobs);
    if (together < jobs.length) {
      pass.letGo(jobs);
      return { met: 'apart', most: together };
    }
    const claimed = flow.clock.now();
    const chains = await lockGroups(flow, tx, pass, jobs, taken);
    if (chains === 'apart') {
      flow.sizes.alone(pass.queue);
      pass.letGo(jobs);
      return { met: 'apart', most: 1 };
    }
    const last = jobs.at(-1);
    if (last === undefined) return { met: 'end' };
    pass.moveLine(last);
    flow.looked(pass, last);
    const [first, ...others] = chains;
    if (first === undefined) {
      pass.blocked(flow.clock.now() - claimed);
      return { met: 'blocked' };
    }
    pass.found(jobs, flow.clock.now());
    // The worker was told to stop while this claim was on its way, and may have stopped its runs already.
    if (flow.stopping.aborted) return { met: 'end' };
    search.end();

    const held = tx;
    settling = await untilSettling((progress) => work(flow, held, [first, ...others], progress));
    return settling ? { met: 'worked', settling: { tx, ...settling } } : { met: 'worked' };
  } finally {
    for (const entity of taken) flow.taken.delete(entity);
    // After a commit there is nothing left to roll back, and this does nothing.
    if (settling === undefined) await tx?.rollback();
    // Others look when what this claim had is free again, or they would pass it over.
    search.end();
  }
}

/** Waits for some work until it is over, or says that it is settling. @returns what is still on its way */
function untilSettling(work: (progress: Progress) => Promise<void>): Promise<Settling | undefined> {
  return new Promise((resolve, reject) => {
    let see = (): void => {};
    let fail = (_: unknown): void => {};
    const committed = new Promise<void>((resolved, rejected) => {
      see = resolved;
      fail = rejected;
    });
    const settles = (): void => resolve({ committed, ended });
    const ended = work({ settles, committed: () => see() });
    ended.then(
      () => {
        see();
        resolve(undefined);
      },
      (error: unknown) => {
        fail(error);
        reject(error);
      },
    );
    // Nobody may wait for it.
    committed.catch(() => {});
  });
}

/** SKIP LOCKED: the first due jobs beyond the line whose entities this process does not already have. */
async function claim<Tx>(
  { registry, taken, sizes, clock }: Flow<Tx>,
  tx: HeldTransaction<Tx>,
  pass: Sweep,
  { limit, isPast }: Search,
): Promise<readonly Job[]> {
  const { queue, line, busy } = pass;
  const prefix = `${queue}\n`;
  const own = [...taken].filter((entity) => entity.startsWith(prefix));
  const keys = [...busy, ...own.map((entity) => entity.slice(prefix.length))].slice(0, BUSY_KEYS);
  const began = clock.now();
  const jobs = await tx.claim({ queue, line, kinds: registry.kinds, busy: keys, limit });
  const now = clock.now();
  pass.claimed(jobs.at(-1), now - began, now);
  if (!isPast) sizes.found(queue, limit, sizes.together(jobs));
  return jobs;
}

/**
 * Writes the runs' records where everybody sees them, and runs them: a lease by itself, others in the claim's transaction. A held
 * run by itself begins while its record is being committed, and ends when it is.
 *
 * @param progress Is told how far it has come.
 */
async function work<Tx>(
  flow: Flow<Tx>,
  held: HeldTransaction<Tx>,
  chains: readonly [Chain<Tx>, ...Chain<Tx>[]],
  progress: Progress,
): Promise<void> {
  const runs = chains.flat();
  const [[first]] = chains;
  const endHalfTime = first.live.leased ? () => {} : warnAtHalfTime(flow, first, flow.idleLimitMs);
  const together = runs.map(({ live }) => live);
  for (const live of together) {
    live.together = together;
    flow.live.add(live);
  }
  try {
    flow.cancellations.reach(together);
    const started = flow.clock.now();
    const record = await putOnRecord(flow, held, chains);
    try {
      if (!first.live.leased) await workHeld(flow, held, chains, record, { started, ...progress });
      else if (flow.anchored()) await workLeased(flow, held, first, record, started);
      // The session was lost while this claim was on its way, and who was told of that then had not been made yet.
      else await held.release(asOne(chains));
    } finally {
      record.end();
    }
  } catch (error) {
    for (const { info } of runs) {
      flow.log.warn({ err: error, ...info }, 'the claim was lost; its jobs are claimable again');
      flow.events.emit('lost', info, error);
    }
    // Whatever else the database says will be said to the next one too: that is to come after a pause.
    if (!isDriverError(error, 'ConnectionLost') && !(error instanceof ClaimLostError)) throw error;
  } finally {
    endHalfTime();
    for (const { live } of runs) flow.live.delete(live);
    // What has ended by now has nothing to roll back.
    await held.rollback();
  }
}

/**
 * Writes the runs' record, until they may begin. Where that fails none has begun, and what may have been written all the same is ended by
 * giving the claim back: it would be taken for a crash.
 */
async function putOnRecord<Tx>(
  flow: Flow<Tx>,
  held: HeldTransaction<Tx>,
  chains: readonly [Chain<Tx>, ...Chain<Tx>[]],
): Promise<RunRecord> {
  const runs = chains.flat();
  const [[first]] = chains;
  const record = flow.records.start({
    ...asOne(chains),
    workerId: flow.workerId,
    confirm: () => held.confirm(),
  });
  try {
    const earlier = await record.written;
    for (const run of runs) {
      run.count(earlier);
      run.live.recorded = record.seen;
    }
    if (runs.length > 1 || first.live.leased || !first.mayBeginUnseen) await record.seen;
    return record;
  } catch (error) {
    await held.release(asOne(chains)).catch(() => {});
    throw error;
  }
}

/** Runs in the claim's own transaction, and settles and commits with it. */
async function workHeld<Tx>(
  flow: Flow<Tx>,
  held: HeldTransaction<Tx>,
  chains: readonly [Chain<Tx>, ...Chain<Tx>[]],
  record: RunRecord,
  { started, settles, committed }: Progress & { readonly started: number },
): Promise<void> {
  const runs = chains.flat();
  const [[first]] = chains;
  begin(flow, runs);
  const endWatch = stopWhenLost(held.lost, runs);
  record.flushed.catch((cause: unknown) => stop(runs, cause));
  const flushed = (): Promise<void> => onDisk(record, first);
  try {
    if (runs.length === 1) await perform(flow, behindRecord(flow.driver, held, flushed), first);
    else await performTogether(flow, new SharedTransaction(flow.driver, held, flushed), chains);
  } finally {
    endWatch();
  }
  await orLost(record.seen, first);
  if (runs.every(({ isGivenBack }) => isGivenBack)) {
    // In the claim's own transaction: a worker that has lost its claim has nothing to give back.
    await held.release(asOne(chains));
    for (const { info } of runs) flow.events.emit('released', info);
    return;
  }
  if (flow.driver.capabilities.chains) settles();
  await settle(flow, runs, started, (settlements) => settleHeld(held, settlements, committed));
}

/** Commits the claim, runs, and settles in another transaction: until then the claim is kept by the worker's session. */
async function workLeased<Tx>(
  flow: Flow<Tx>,
  held: HeldTransaction<Tx>,
  run: Run<Tx>,
  record: RunRecord,
  started: number,
): Promise<void> {
  const lease = await takeLease(flow, held, run);
  try {
    begin(flow, [run]);
    if (lease.isCommitted) {
      const endWatch = stopWhenLost(lease.lost, [run]);
      await perform(
        flow,
        behindRecord(flow.driver, lease, () => onDisk(record, run)),
        run,
      ).finally(endWatch);
    }
    await settle(flow, [run], started, (settlements) =>
      settleLease(lease, settlements, (ms, error) => wait(flow, run, ms, error)),
    );
  } finally {
    await lease.rollback();
  }
}

/** All runs of a transaction, as one. */
function asOne<Tx>(chains: readonly [Chain<Tx>, ...Chain<Tx>[]]): RunRef {
  const [[first]] = chains;
  return { runId: first.live.runId, jobs: chains.flat().flatMap(({ live }) => live.jobs) };
}

function begin<Tx>({ events, claimed }: Flow<Tx>, runs: readonly Run<Tx>[]): void {
  if (events.hears('run')) for (const { info } of runs) events.emit('run', info);
  claimed();
}

/** Without its claim a run has nothing to work for. @returns ends the watch */
function stopWhenLost<Tx>(lost: AbortSignal, runs: readonly Run<Tx>[]): () => void {
  const onLost = (): void => stop(runs, lost.reason);
  lost.addEventListener('abort', onLost, { once: true });
  if (lost.aborted) onLost();
  return () => lost.removeEventListener('abort', onLost);
}

function stop<Tx>(runs: readonly Run<Tx>[], cause: unknown): void {
  for (const { live } of runs) live.stop(new ClaimLostError(live.runId, { cause }));
}

/** Before a handler asks anything of the database. */
function onDisk<Tx>(record: RunRecord, run: Run<Tx>): Promise<void> {
  record.flush();
  return orLost(record.flushed, run);
}

/** Runs whose record cannot be written settle nothing. */
async function orLost<Tx>(stage: Promise<void>, { live }: Run<Tx>): Promise<void> {
  try {
    await stage;
  } catch (cause) {
    throw new ClaimLostError(live.runId, { cause });
  }
}

/** Commits the claim as a lease. */
async function takeLease<Tx>(
  { driver }: Flow<Tx>,
  held: HeldTransaction<Tx>,
  { live: { runId, jobs }, handler }: Run<Tx>,
): Promise<Lease<Tx>> {
  const idleLimitMs = limitMs(handler.timeoutMs);
  let isCommitted = true;
  try {
    await held.lease(runId, jobs, idleLimitMs);
  } catch (error) {
    if (!isDriverError(error, 'ConnectionLost')) throw error;
    // It may have been committed, and only the answer was lost: then it is to be given back.
    isCommitted = false;
  }
  return new Lease(driver, { idleLimitMs }, runId, jobs, isCommitted);
}

/** Between two attempts to settle a lease. When the worker has no time left its jobs are reclaimed, as soon as its session ends. */
function wait<Tx>(
  { clock, log }: Flow<Tx>,
  { live, info }: Run<Tx>,
  ms: number,
  error: unknown,
): Promise<void> {
  if (live.isOutOfTime) return Promise.reject(error);
  log.warn({ err: error, ...info }, 'a lease could not be settled; trying again');
  return new Promise((resolve) => void clock.after(ms, resolve));
}

/** Writes how the runs ended, each for its own jobs, commits, and tells. */
async function settle<Tx>(
  flow: Flow<Tx>,
  runs: readonly Run<Tx>[],
  started: number,
  write: (settlements: Settlements) => Promise<readonly Settlement[]>,
): Promise<void> {
  const tookMs = Math.round(flow.clock.now() - started);
  const policy = { tookMs, by: flow.host };
  const written = await write({
    settlements: runs.flatMap((run) => run.settlements(policy)),
    instead: (error) => runs.flatMap((run) => run.retries(policy, error)),
  });
  let place = 0;
  for (const run of runs) {
    const own = written.slice(place, place + run.jobs.length);
    place += run.jobs.length;
    if (own.every(({ event }) => event === 'release')) flow.events.emit('released', run.info);
    else tell(flow, run, own, tookMs);
  }
}

function tell<Tx>(flow: Flow<Tx>, run: Run<Tx>, settlements: readonly Settlement[], tookMs: number): void {
  tellFailures(flow.log, run, settlements);
  // Of thousands a second it is not put together for nobody.
  if (isSilent(flow.log.debug) && !hearsOfSettled(flow.events)) return;
  const { info, jobs } = run;
  const endings = new Map(
    jobs.map(({ publicId }, index) => [publicId, settlements[index]?.event ?? 'retry']),
  );
  flow.log.debug({ ...info, tookMs, endings: [...new Set(endings.values())] }, 'settled');
  tellSettled(flow.events, info, endings, tookMs);
}
