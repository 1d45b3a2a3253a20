import type { Context } from '@opentelemetry/api';
import { createContextKey, trace } from '@opentelemetry/api';
import type { RunJob } from '@rowlock/core';

/** The most jobs by which one process continues a trace: each adds its run, and what the run does. */
const MOST_CONTINUED = 100;

/** How many traces are counted. Those that were continued last are. */
const MOST_TRACES = 1_000;

/** A run continues the trace of its job if it begins so soon after the enqueue, in milliseconds. */
const SOON_MS = 60_000;

const KIND = createContextKey('rowlock.kind');

/** The context of a run of this kind. */
export function withKind(inside: Context, kind: string): Context {
  return inside.setValue(KIND, kind);
}

/** Which traces are continued by runs, so that no trace grows without a bound. Other runs have a link. */
export class Continued {
  readonly #jobs = new Map<string, number>();

  /** Whether the run of a job that a call for `count` jobs of this kind enqueues is to be part of the caller's trace. */
  mayContinue(
    caller: Context,
    inside: Context,
    { kind, count }: { readonly kind: string; readonly count: number },
  ): boolean {
    if (count > 1 || caller.getValue(KIND) === kind) return false;
    const traceId = trace.getSpanContext(inside)?.traceId ?? '';
    const jobs = this.#jobs.get(traceId) ?? 0;
    this.#jobs.delete(traceId);
    this.#jobs.set(traceId, jobs + 1);
    const [oldest] = this.#jobs.keys();
    if (this.#jobs.size > MOST_TRACES && oldest !== undefined) this.#jobs.delete(oldest);
    return jobs < MOST_CONTINUED;
  }
}

/** Whether a run begins soon after its job was enqueued, and not after a redrive. */
export function isSoon({ createdAt, attempt, earlierRuns }: RunJob<unknown>): boolean {
  const isAgain = attempt === 1 && earlierRuns > 0;
  // A job of the future is of another clock, or this one was put back.
  return !isAgain && Math.abs(Date.now() - createdAt.getTime()) < SOON_MS;
}
