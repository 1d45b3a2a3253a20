/**
 * The state machine of a job, as one table. The source of the types, the guards, the diagram in ARCHITECTURE.md and the
 * generated tests of the conformance suite.
 */
export const STATES = ['new', 'in-progress', 'complete', 'error', 'cancelled'] as const;

/** States that a job leaves only by the operator's `redrive`, or never. */
export const SETTLED = ['complete', 'error', 'cancelled'] as const satisfies readonly State[];

/** States of a job that still has work ahead of it. */
export const OUTSTANDING = ['new', 'in-progress'] as const satisfies readonly State[];

/**
 * `counted`: the event counts as an attempt. `reset`: it sets the attempts back to 0.
 *
 * A hold claim is a row lock and writes nothing. So the events of a worker find its jobs as `new` in the table:
 * `in-progress` is the meaning of the lock (see `ClaimSession.settle`).
 */
export const TRANSITIONS = {
  claim: { from: ['new'], to: 'in-progress', by: 'worker', attempt: 'kept' },
  complete: { from: ['in-progress'], to: 'complete', by: 'worker', attempt: 'counted' },
  fail: { from: ['in-progress'], to: 'error', by: 'worker', attempt: 'counted' },
  retry: { from: ['in-progress'], to: 'new', by: 'worker', attempt: 'counted' },
  snooze: { from: ['in-progress'], to: 'new', by: 'worker', attempt: 'kept' },
  release: { from: ['in-progress'], to: 'new', by: 'worker', attempt: 'kept' },
  reclaim: { from: ['in-progress'], to: 'new', by: 'worker', attempt: 'counted' },
  exhaust: { from: ['in-progress'], to: 'error', by: 'worker', attempt: 'kept' },
  abandon: { from: ['in-progress'], to: 'cancelled', by: 'worker', attempt: 'kept' },
  cancel: { from: ['new'], to: 'cancelled', by: 'client', attempt: 'kept' },
  redrive: { from: ['error', 'cancelled'], to: 'new', by: 'client', attempt: 'reset' },
} as const satisfies Record<string, Transition>;

export type State = (typeof STATES)[number];
export type TransitionName = keyof typeof TRANSITIONS;

/**
 * The events by which a run ends. `release` is written for a lease, and for a job that is settled with others. A hold
 * that is given back as a whole writes nothing.
 */
export type SettlingEvent = 'complete' | 'fail' | 'retry' | 'snooze' | 'release' | 'exhaust' | 'abandon';

/** The events that a client may cause on a job that is not locked. */
export type ClientEvent = 'cancel' | 'redrive';

export interface Transition {
  readonly from: readonly State[];
  readonly to: State;
  readonly by: 'client' | 'worker';
  readonly attempt: 'kept' | 'counted' | 'reset';
}

/** Whether `event` may happen to a job in `state`. */
export function isLegal(event: TransitionName, state: State): boolean {
  const { from }: Transition = TRANSITIONS[event];
  return from.includes(state);
}

/** Under which count an ending comes. Undefined where the job only waits again. */
export function countedAs(
  event: SettlingEvent,
): 'completed' | 'failed' | 'cancelled' | 'retried' | undefined {
  if (event === 'retry') return 'retried';
  const { to } = TRANSITIONS[event];
  return to === 'new' ? undefined : COUNTS[to];
}

const COUNTS = { complete: 'completed', error: 'failed', cancelled: 'cancelled' } as const;

/** Whether a job in `state` has ended, unless it is redriven. */
export function isSettled(state: State): boolean {
  return (SETTLED as readonly State[]).includes(state);
}
