import { isSettled } from '@rowlock/core/driver';
import type { CommandOf } from '../command.js';
import type { Actor, Claiming, WantedLimits } from '../parts.js';
import type { Result } from '../result.js';
import { asWanted, inOrder, type ModelJob } from './job.js';
import { isPaused } from './paused.js';
import { FULL, takeSlots } from './slots.js';
import type { ModelState } from './state.js';
import { firstKeyed, seen, type Transaction } from './transaction.js';

export function claim(state: ModelState, { by, ...claiming }: Claiming & { readonly by: Actor }): Result {
  const tx = state.open(by);
  const { queue, kinds, beyond, busy, limit, limits } = claiming;
  const line = beyond === null ? undefined : state.jobs[beyond];
  const first = state.jobs
    .filter((job) => {
      const row = seen(job, tx);
      const { wanted } = job;
      return (
        row?.status === 'new' &&
        row.isDue &&
        row.isAvailable &&
        state.isFree(job, tx) &&
        wanted.queue === queue &&
        hasEqual(wanted.limits, limits) &&
        !isPaused(state, wanted) &&
        kinds.includes(wanted.kind) &&
        (wanted.key === null || !busy.includes(wanted.key)) &&
        (line === undefined || inOrder(line, job) < 0)
      );
    })
    .sort(inOrder)
    .slice(0, limits === null ? limit : 1);
  if (first.length > 0 && !takeSlots(state, tx, limits ?? {})) {
    state.end(by, 'rollback');
    return FULL;
  }
  return first.map((job) => take(job, tx));
}

function hasEqual(one: WantedLimits | null, other: WantedLimits | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export function lockSiblings(
  state: ModelState,
  { by, queue, keys, limit }: CommandOf<'lockSiblings'>,
): Result {
  const tx = state.open(by);
  const own = queue === null ? firstKeyed(tx)?.wanted : undefined;
  const entities = own === undefined ? { queue, keys } : { queue: own.queue, keys: [own.key] };
  const siblings = state.jobs.filter((job) => {
    const row = seen(job, tx);
    const { wanted } = job;
    const isOf = wanted.queue === entities.queue && entities.keys.some((key) => key === wanted.key);
    if (!isOf || row === null) return false;
    return row.status === 'in-progress' || (row.status === 'new' && row.isAvailable);
  });
  if (!siblings.every((job) => state.isFree(job, tx))) {
    // Nothing is left to do but this, and until then some databases keep the locks that it has.
    state.end(by, 'rollback');
    return { refused: 'LockNotAvailable' };
  }
  for (const job of siblings) tx.locked.add(job);
  const running = siblings.filter((job) => seen(job, tx)?.status === 'in-progress');
  const all = [...running, ...siblings.filter((job) => !running.includes(job))];
  return entities.keys.toSorted().map((key) => {
    const ofKey = all.filter(({ wanted }) => wanted.key === key);
    const firstPaused = ofKey.findIndex((job) => !running.includes(job) && isHeldBack(state, job));
    const open = firstPaused < 0 ? ofKey : ofKey.slice(0, firstPaused);
    return open.slice(0, limit).map((job) => take(job, tx));
  });
}

/** A limit that is paused does not count: whoever takes siblings looks at their limits. */
function isHeldBack(state: ModelState, { wanted }: ModelJob): boolean {
  return isPaused(state, { ...wanted, limits: null });
}

export function firstOutstanding(
  state: ModelState,
  { by, key, kinds, before }: CommandOf<'firstOutstanding'>,
): Result {
  const tx = state.open(by);
  const first = state.jobs.find((job) => {
    const row = seen(job, tx);
    const { wanted } = job;
    const isOutstanding = row !== null && !isSettled(row.status);
    return (
      isOutstanding &&
      wanted.key === key &&
      kinds.includes(wanted.kind) &&
      job.place < before &&
      !tx.held.has(job)
    );
  });
  return first?.name ?? null;
}

function take(job: ModelJob, tx: Transaction): Result {
  const row = seen(job, tx);
  tx.locked.add(job);
  if (row === null) return undefined;
  tx.held.set(job, row);
  tx.settled.delete(job);
  const { status, attempt, crashes, metadata, payload } = row;
  const { limits } = job.wanted;
  return { ...asWanted(job.name, job.wanted), limits, status, attempt, crashes, metadata, payload };
}
