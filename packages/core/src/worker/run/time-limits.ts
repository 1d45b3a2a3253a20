import type { Clock } from '../../clock.js';
import { HandlerTimeoutError } from '../../errors.js';
import type { AnyHandler } from '../../handler/handler.js';
import type { LiveRun } from './live-run.js';

/** How long a handler may take to end after its signal was aborted, in milliseconds. */
export const GRACE_MS = 5_000;

/** The time to settle a claim after the grace period, in milliseconds. */
const MARGIN_MS = 10_000;

/** When the server takes a claim away from a run that may take `timeoutMs`, in milliseconds. */
export function limitMs(timeoutMs: number): number {
  return timeoutMs + GRACE_MS + MARGIN_MS;
}

/** A run, and until when it may go on. */
export interface TimedRun<Tx> {
  readonly handler: AnyHandler<Tx>;
  readonly live: LiveRun;
  readonly clock: Clock;
  /** The checks of the payloads use some of the time too. */
  readonly until: number;
  /** The database's clock, in milliseconds since 1970, read once for a run. That of this process may be wrong. */
  readonly now: () => Promise<number>;
}

/** Stops a run when its time is over. Returns the end of the wait. */
export function stopInTime<Tx>({ handler, live, clock, until }: TimedRun<Tx>): () => void {
  return clock.after(until - clock.now(), () =>
    live.stop(new HandlerTimeoutError(handler.kind, handler.timeoutMs)),
  );
}
