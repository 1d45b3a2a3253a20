import { randomUUID } from 'node:crypto';
import { isDriverError } from '@rowlock/core';
import {
  type ClaimSession,
  type Fault,
  type Job,
  type NewJob,
  NO_ID,
  NO_LIMITS,
  type Settlement,
} from '@rowlock/core/driver';
import { remedyFor } from './remedy.js';
import type { Subject } from './subject.js';

/** What is tried, in this order. */
type Step = 'enqueued' | 'claimed' | 'locked by its key' | 'settled';

/** How long the server lets the transaction be idle, in milliseconds. */
const IDLE_MS = 30_000;

/** The lowest priority of a job. */
const LOWEST = -32_768;

/** Enqueues, claims and settles a job of its own in a transaction, which is undone: nobody else sees it. */
export async function trial({
  driver,
  rowlock,
}: Pick<Subject, 'driver' | 'rowlock'>): Promise<readonly Fault[]> {
  // Nothing is claimed while all is paused.
  const isPaused = (await rowlock.jobs.pauses().catch(() => [])).some(({ scope }) => scope === 'all');
  const session = driver.claims.session({ idleLimitMs: IDLE_MS });
  const at: { step: Step } = { step: 'enqueued' };
  try {
    const problem = await tried(session, (tx) => driver.join(tx).jobs.enqueue([JOB]), isPaused, at);
    return problem === undefined ? [] : [fault(problem)];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!isDriverError(error, 'PermissionDenied'))
      return [fault(`A job cannot be ${at.step}: ${message}`, remedyFor(error))];
    const what = `This account may not try what a job needs: a job cannot be ${at.step}. ${message}`;
    return [{ ...fault(what), severity: 'skipped', remedy: 'Use the account of the workers.' }];
  } finally {
    await session.rollback();
  }
}

/** @returns What went wrong without an error. */
async function tried<Tx>(
  session: ClaimSession<Tx>,
  enqueue: (tx: Tx) => Promise<unknown>,
  isPaused: boolean,
  at: { step: Step },
): Promise<string | undefined> {
  // Begins the transaction.
  at.step = 'claimed';
  await session.claim(OWN);
  at.step = 'enqueued';
  await enqueue(session.handle);
  if (isPaused) return undefined;
  at.step = 'claimed';
  const [job] = await session.claim(OWN);
  if (job === undefined) return 'A job that was just enqueued is not found by a claim.';
  at.step = 'locked by its key';
  const [sibling] = await session.lockSiblings({ queue: QUEUE, keys: [KEY] }, 1);
  if (sibling === undefined) return 'A job that was just claimed is not found by its key.';
  at.step = 'settled';
  const settled = await session.settle([completion(job)]);
  if (settled.length === 0) return 'A job cannot be settled: its row does not change.';
  const [again] = await session.claim(OWN);
  return again && 'A job that was just settled is found by a claim again.';
}

function fault(
  what: string,
  remedy = 'Mend what the sentence names: a column, a trigger, a rule, a setting.',
): Fault {
  return {
    severity: 'broken',
    what,
    why: 'What was tried, and undone, is what each job needs.',
    remedy,
  };
}

/** Not in the way of anybody's jobs. */
const QUEUE = `rowlock doctor ${randomUUID()}`;

const KEY = 'doctor';

const JOB: NewJob = {
  queue: QUEUE,
  kind: 'rowlock.doctor',
  key: KEY,
  payload: {},
  priority: 0,
  available: { inMs: 0 },
  maxAttempts: 1,
  unique: null,
  metadata: {},
  limits: NO_LIMITS,
  createdBy: 'rowlock doctor',
};

const OWN = {
  queue: QUEUE,
  kinds: [JOB.kind],
  line: { priority: LOWEST, id: NO_ID },
  busy: [],
  limit: 1,
} as const;

function completion({ id }: Job): Settlement {
  return {
    id,
    runId: randomUUID(),
    event: 'complete',
    attempt: 1,
    crashes: 0,
    delayMs: 0,
    tookMs: 0,
    output: null,
    error: null,
    by: JOB.createdBy,
  };
}
