import type { Fault } from '@rowlock/core/driver';
import type { Reason } from '@rowlock/core/types';
import type { Subject } from './subject.js';

/** A job that has been due for so long is looked at. */
const WAITED_MS = 60_000;

/** A key that is held for so long is noticed. */
const HELD_MS = 300_000;

/** How many jobs are looked at. */
const LOOK = 20;

/** Looks for keys whose first job keeps others from running. */
export async function keys({ rowlock, lanes }: Subject, heldMs = HELD_MS): Promise<readonly Fault[]> {
  const before = new Date(Date.now() - WAITED_MS);
  const found = new Map<string, Fault>();
  const late = lanes.filter(({ served, oldestDueMs }) => served && (oldestDueMs ?? 0) > WAITED_MS);
  for (const { queue, kind } of late.slice(0, LOOK)) {
    const { jobs } = await rowlock.jobs.list({ queue, kind, status: 'new', due: { before }, limit: LOOK });
    for (const { publicId, key } of jobs.slice(0, Math.ceil(LOOK / late.length))) {
      if (key === null || found.has(`${queue} ${key}`)) continue;
      const { reasons } = await rowlock.insight.explain(publicId);
      const blocking = reasons.find((reason) => isBlocking(reason, heldMs));
      if (blocking !== undefined) found.set(`${queue} ${key}`, fault(queue, key, publicId, blocking));
    }
  }
  return [...found.values()];
}

function isBlocking(reason: Reason, heldMs: number): boolean {
  if (reason.reason === 'key') {
    const { since } = reason.job.run;
    return since !== null && Date.now() - since.getTime() > heldMs;
  }
  return reason.reason === 'earlier' || reason.reason === 'after';
}

function fault(queue: string, key: string, publicId: string, { text }: Reason): Fault {
  return {
    severity: 'warning',
    what: `The key ${key} in the queue ${queue} stands still. Job ${publicId}: ${text}`,
    why: 'All later jobs of the key wait.',
    remedy: 'Run `rowlock jobs why` for the job that goes first, and cancel or redrive it.',
  };
}
