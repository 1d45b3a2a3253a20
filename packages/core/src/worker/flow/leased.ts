/** A run whose claim is a lease: committed before it begins, settled by another transaction. */

import { mayBeOfOne } from '../../driver/apart.js';
import type { ClaimSession, Settlement } from '../../driver/claim-session.js';
import { isDriverError } from '../../driver/driver-error.js';
import { ClaimLostError } from '../../errors.js';
import { GrowingDelay } from '../../job/growing-delay.js';
import { NO_LIMITS } from '../../job/limits-text.js';
import type { RunRecord } from '../record/run-records.js';
import { report } from '../report/outcomes.js';
import type { Run } from '../run/run.js';
import { limitMs } from '../run/time-limits.js';
import type { Flow } from './context.js';
import type { Claim } from './group.js';
import { Lease } from './lease.js';
import { stopWhenLost } from './loss.js';
import { giveBackRefused } from './refused.js';
import { begin, runAlone } from './run-all.js';
import { lostClaim, type Settlements, settlementsOf } from './settle.js';
import { isRefusal, settleEach } from './settle-each.js';

/** How long what a lease's run returned is tried to be written while the database refuses it, in milliseconds. */
const LONGEST_REFUSAL_MS = 60_000;

/** Commits the claim, runs, and settles. In between, the worker's session keeps the claim. */
export async function runLeased<Tx>(
  flow: Flow<Tx>,
  claim: Claim<Tx>,
  record: RunRecord,
  began: number,
): Promise<void> {
  const { session, runs, ref } = claim;
  const [run] = runs;
  // The session was lost during this claim, so the loss could not stop this run.
  if (!flow.anchored()) return session.release(ref);
  const lease = await takeLease(flow, session, run).catch((error: unknown) =>
    giveBackRefused(flow, claim, error),
  );
  try {
    begin(flow, runs);
    if (lease.isCommitted) {
      const endWatch = stopWhenLost(lease.lost, record, runs);
      await runAlone(flow, lease, record, run).finally(endWatch);
    }
    const tookMs = Math.round(flow.clock.now() - began);
    const written = await settleLease(lease, settlementsOf(flow, runs, tookMs), (ms, error) =>
      wait(flow, run, ms, error),
    ).catch((error: unknown) => {
      const { refused } = flow.reported;
      if (isDriverError(error) && mayBeOfOne(error))
        refused.add(run.jobs.map(({ publicId: member }) => ({ member, error })));
      throw error;
    });
    flow.reported.unsettled.over(run.info);
    report(flow, runs, written, tookMs);
  } finally {
    await lease.rollback();
  }
}

async function takeLease<Tx>(
  { driver }: Flow<Tx>,
  session: ClaimSession<Tx>,
  { live: { runId, jobs }, jobs: [first], handler }: Run<Tx>,
): Promise<Lease<Tx>> {
  const idleLimitMs = limitMs(handler.timeoutMs);
  let isCommitted = true;
  try {
    await session.lease(runId, jobs, idleLimitMs);
  } catch (error) {
    if (!isDriverError(error, 'ConnectionLost')) throw error;
    // The lease may be committed although its answer was lost. Then it must be given back.
    isCommitted = false;
  }
  const hasLimits = first.limits !== NO_LIMITS;
  return new Lease(driver.claims.session({ idleLimitMs }), { runId, jobs }, { isCommitted, hasLimits });
}

/**
 * Writes the outcomes and commits them. A lease outlives its connection, so the attempts go on while the database is
 * away. If the handler has written, the loss of the connection undoes its writes, and its jobs are retried. Jobs are
 * also retried if the database cannot hold their outcomes, each by itself, or has refused them for a minute, as otherwise
 * they would keep their slots for ever. No other error of the database repeats a handler that may have worked for minutes.
 *
 * @param waits Pauses for some milliseconds; rejects when there is no time left.
 * @throws ClaimLostError, DriverError
 */
export async function settleLease<Tx>(
  lease: Lease<Tx>,
  given: Settlements<Tx>,
  waits: (ms: number, error: unknown) => Promise<void>,
): Promise<readonly Settlement[]> {
  const { settlements, instead, reduced, follow } = given;
  const pause = new GrowingDelay(20, 1_000);
  let refusedMs = 0;
  let isOver = false;
  /** The settlements of the last attempt that reached its commit. Jobs that are found settled were settled with these. */
  let sent = settlements;
  let now = settlements;
  let isRefused = false;
  for (;;) {
    try {
      const written = isRefused ? await settleEach(lease, now, given) : await settleAll(lease, now);
      if (!lease.settledBefore) {
        sent = written;
        await follow(written)?.(lease.session);
      }
      await lease.commit();
      return sent;
    } catch (error) {
      if (lease.lost.aborted || error instanceof ClaimLostError || (isRefused && isRefusal(error)))
        throw error;
      if (isOver && mayBeOfOne(error)) throw error;
      const ms = pause.next();
      refusedMs = mayBeOfOne(error) ? refusedMs + ms : 0;
      isOver = refusedMs > LONGEST_REFUSAL_MS;
      if (lease.used) now = instead(error);
      if (isOver) now = now.map((settlement) => reduced(settlement, error));
      isRefused ||= isOver || isDriverError(error, 'InvalidInput');
      await lease.undo();
      await waits(ms, error);
    }
  }
}

async function settleAll<Tx>(
  lease: Lease<Tx>,
  settlements: readonly Settlement[],
): Promise<readonly Settlement[]> {
  const settled = await lease.settle(settlements);
  if (settled.length < settlements.length) throw lostClaim(settlements);
  return settlements;
}

/**
 * The pause between two attempts to settle a lease. Rejects when the worker has no time left: its jobs are reclaimed
 * once its session ends.
 */
function wait<Tx>(
  { clock, reported }: Flow<Tx>,
  { live, info }: Run<Tx>,
  ms: number,
  error: unknown,
): Promise<void> {
  if (live.isOutOfTime) return Promise.reject(error);
  reported.unsettled.meet(error, info);
  return new Promise((resolve) => void clock.after(ms, resolve));
}
