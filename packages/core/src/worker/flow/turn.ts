/**
 * The flow, top to bottom: sweep → claim → check → group → record → run → settle → commit → tell.
 *
 * The claim is the row lock of a slot's transaction, so the death of the process gives the jobs back. A leased claim is
 * committed instead, and lasts as long as the worker's session.
 */

import { isDriverError } from '../../driver/driver-error.js';
import { ClaimLostError } from '../../errors.js';
import { causesOf } from '../../is-error.js';
import type { Sweep } from '../look/sweep.js';
import type { RunRecord } from '../record/run-records.js';
import { report } from '../report/outcomes.js';
import { Claims } from './claims.js';
import type { Flow } from './context.js';
import { enlist } from './enlist.js';
import type { Claim } from './group.js';
import { runLeased } from './leased.js';
import { stopWhenLost, tellLost } from './loss.js';
import { giveBackRefused } from './refused.js';
import { runAll } from './run-all.js';
import { settleHeld, settlementsOf } from './settle.js';

/** Passes through a queue until no job is found beyond the line. */
export async function sweep<Tx>(flow: Flow<Tx>, pass: Sweep): Promise<void> {
  const claims = new Claims(flow, pass);
  try {
    for (let claim = await claims.next(); claim !== null; claim = await claims.next())
      await turn(flow, claims, claim);
  } finally {
    await claims.end();
  }
}

/** One turn of a slot: record, run, settle and tell what was claimed and grouped. */
async function turn<Tx>(flow: Flow<Tx>, claims: Claims<Tx>, claim: Claim<Tx>): Promise<void> {
  const { session, runs, ref } = claim;
  const endEnlistment = enlist(flow, claim);
  const began = flow.clock.now();
  try {
    const record = await putOnRecord(flow, claim);
    try {
      if (runs[0].live.leased) await runLeased(flow, claim, record, began);
      else await runHeld(flow, claims, claim, record, began);
    } finally {
      record.end();
    }
  } catch (error) {
    // The process is alive, so the run is no crash. One that is refused counts all the same, as its handler is not repeated for ever.
    const isLeft = runs.some(({ jobs: [{ publicId }] }) => flow.reported.refused.has(publicId));
    if (isUndone(error) && !isLeft) await session.release(ref).catch(() => {});
    await tellLost(flow, claim, error);
  } finally {
    endEnlistment();
    claims.turned();
  }
}

/** Whether the server has undone the transaction, as by a deadlock. */
function isUndone(error: unknown): boolean {
  return causesOf(error).some(
    (each) => isDriverError(each, 'Deadlock') || isDriverError(each, 'SerializationFailure'),
  );
}

/**
 * Writes the runs' record. From then on a crash is counted, and the runs may begin. If the write fails, no run has
 * begun, and the claim is given back. Otherwise a record that was written all the same would count as a crash.
 */
async function putOnRecord<Tx>(flow: Flow<Tx>, { session, runs, ref }: Claim<Tx>): Promise<RunRecord> {
  const start = { runId: ref.runId, workerId: flow.workerId, jobs: runs.flatMap(({ jobs }) => jobs) };
  const record = flow.records.start(start, () => session.confirm());
  try {
    const history = await record.visible;
    for (const each of runs) each.count(history);
    return record;
  } catch (error) {
    await session.release(ref).catch(() => {});
    throw error;
  }
}

async function runHeld<Tx>(
  flow: Flow<Tx>,
  claims: Claims<Tx>,
  claim: Claim<Tx>,
  record: RunRecord,
  began: number,
): Promise<void> {
  const { session, runs, ref } = claim;
  const endWatch = stopWhenLost(session.lost, record, runs);
  try {
    await runAll(flow, claim, record);
  } finally {
    endWatch();
    record.settles();
  }
  const { stopped } = runs[0].live;
  if (stopped instanceof ClaimLostError) {
    // The record may have been written all the same, and would count as a crash.
    await session.release(ref).catch(() => {});
    throw stopped;
  }
  if (runs.every(({ isGivenBack }) => isGivenBack)) {
    // In the claim's own transaction: a worker that has lost its claim has nothing to give back.
    await session.release(ref);
    for (const { info } of runs) flow.events.emit('released', info);
    return;
  }
  const tookMs = Math.round(flow.clock.now() - began);
  const { written, next } = await settleHeld(
    session,
    settlementsOf(flow, runs, tookMs),
    claims.behind(),
  ).catch((error: unknown) => giveBackRefused(flow, claim, error));
  claims.settled(next);
  report(flow, runs, written, tookMs);
}
