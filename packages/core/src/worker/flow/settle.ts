import type { ClaimCriteria, ClaimSession, Finished, Settlement } from '../../driver/claim-session.js';
import { isDriverError } from '../../driver/driver-error.js';
import { ClaimLostError } from '../../errors.js';
import type { Run } from '../run/run.js';
import type { Flow } from './context.js';
import { type Follow, followOf } from './failures.js';
import { isRefusal, type Refusals, settleEach } from './settle-each.js';

/** The settlements to write, and those to write instead if that fails. */
export interface Settlements<Tx> extends Refusals {
  readonly settlements: readonly Settlement[];
  readonly instead: (error: unknown) => readonly Settlement[];
  /** Whether the database has refused one of these jobs before. */
  readonly isSuspect: boolean;
  /** Whether the handlers of several runs have written in one transaction: then one's writes cannot be undone alone. */
  readonly shareWrites: boolean;
  readonly follow: (written: readonly Settlement[]) => Follow<Tx> | undefined;
}

export function settlementsOf<Tx>(flow: Flow<Tx>, runs: readonly Run<Tx>[], tookMs: number): Settlements<Tx> {
  const policy = { tookMs, by: flow.host };
  const { refused } = flow.reported;
  const jobs = runs.flatMap((run) => run.jobs);
  return {
    isSuspect: jobs.some(({ publicId }) => refused.hasFailed(publicId)),
    shareWrites: runs.length > 1 && runs.some(({ hasWritten }) => hasWritten),
    left: ({ id }, error) =>
      refused.add(jobs.flatMap((job) => (job.id === id ? { member: job.publicId, error } : []))),
    settlements: runs.flatMap((run) => run.settlements(policy)),
    instead: (error) => runs.flatMap((run) => run.retries(policy, error)),
    reduced: (settlement, error) => {
      const run = runs.find(({ jobs }) => jobs.some(({ id }) => id === settlement.id));
      return run?.reduced(policy, settlement, error) ?? settlement;
    },
    follow: (written) => followOf(flow, runs, written),
  };
}

/**
 * Writes the outcomes and commits them durably. A handler may have broken the transaction, for example with a failed
 * statement that it swallowed, or with a deferred constraint. Then its writes are undone and its jobs are retried. What
 * the database cannot hold, for example a text in its character set, is written in a reduced form. Where several handlers
 * have written, none of it is committed: which of the writes belong to the refused outcome cannot be undone alone.
 *
 * @param behind The claim to make right behind the commit
 * @returns what was written, and the next claim
 * @throws ClaimLostError, DriverError
 */
export async function settleHeld<Tx>(
  session: ClaimSession<Tx>,
  settlements: Settlements<Tx>,
  behind?: ClaimCriteria,
): Promise<Written> {
  const settled = await write(session, settlements, behind);
  if (settled.isCommitted) return settled;
  await settlements.follow(settled.written)?.(session);
  await session.commit();
  return settled;
}

interface Written {
  readonly written: readonly Settlement[];
  readonly next: Finished['next'];
  readonly isCommitted: boolean;
}

async function write<Tx>(
  session: ClaimSession<Tx>,
  given: Settlements<Tx>,
  behind: ClaimCriteria | undefined,
): Promise<Written> {
  let wanted = given.settlements;
  let refusal: unknown;
  try {
    return await writeAll(session, given, wanted, behind);
  } catch (error) {
    if (isFinal(error)) throw error;
    refusal = error;
  }
  if (session.used) {
    await following(refusal, session.undo());
    wanted = given.instead(refusal);
    try {
      return await writeAll(session, given, wanted, behind);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await following(error, session.undo());
      refusal = error;
    }
  }
  if (given.shareWrites || !isRefusal(refusal)) throw refusal;
  const written = await following(refusal, settleEach(session, wanted, given));
  return { written, next: null, isCommitted: false };
}

/** Commits with the same message, unless something is to be written behind, or a refusal is to leave the claim in place. */
async function writeAll<Tx>(
  session: ClaimSession<Tx>,
  { follow, isSuspect }: Settlements<Tx>,
  settlements: readonly Settlement[],
  behind: ClaimCriteria | undefined,
): Promise<Written> {
  const isCommitted = !isSuspect && follow(settlements) === undefined;
  const { settled, next } = isCommitted
    ? await session.finish(settlements, behind)
    : { settled: await session.settle(settlements), next: null };
  // The next claim reports its own failure when it is awaited.
  next?.catch(() => {});
  if (settled.length < settlements.length) throw lostClaim(settlements);
  return { written: settlements, next, isCommitted };
}

/** Whether another settlement would fail too: the claim is gone. */
function isFinal(error: unknown): boolean {
  return error instanceof ClaimLostError || isDriverError(error, 'ConnectionLost');
}

/** @throws the failure that the work follows, if that has ended the transaction */
function following<Result>(failure: unknown, work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    throw isDriverError(error, 'TransactionOver') ? failure : error;
  });
}

export function lostClaim([first]: readonly Settlement[]): ClaimLostError {
  return new ClaimLostError(first?.runId ?? '');
}
