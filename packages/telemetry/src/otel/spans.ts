import { context, type Link, type Span, SpanKind, type Tracer, trace } from '@opentelemetry/api';
import {
  CancelledError,
  type Enqueued,
  isOutcome,
  type Outcome,
  type PluginWorker,
  type RunContext,
} from '@rowlock/core';
import type { EnqueueCall } from '@rowlock/core/types';
import { attributesOf, MESSAGE_ID, type Operation, OUTCOME, outcomeOfAll } from './attributes.js';
import { carried, carry, linkTo } from './carrier.js';
import { Continued, isSoon, withKind } from './continued.js';
import { recordFailure } from './failure.js';
import { OpenSpans } from './open-spans.js';
import { beginSpan, endSpan, quietly } from './quietly.js';
import { RunClock } from './run-clock.js';

const ENQUEUE: Operation = { name: 'enqueue', type: 'send' };
const RUN: Operation = { name: 'run', type: 'process' };

export interface SpanOptions {
  /**
   * Whether the run of a job that was enqueued alone is part of the trace that enqueued it, if it begins within a minute. At
   * most 100 runs are, of a process's trace. Other runs begin a trace of their own, with a link to that one. Default yes.
   */
  readonly continueTraces?: boolean;
  /** Whether spans have the key of their jobs, as `rowlock.key`. A key may be personal. Default no. */
  readonly keys?: boolean;
}

/** Makes the spans of calls that enqueue, of runs and of their settlements. */
export class Spans {
  readonly #tracer: Tracer;
  readonly #options: SpanOptions;
  readonly #open: OpenSpans;
  readonly #continued = new Continued();

  constructor(tracer: Tracer, options: SpanOptions) {
    this.#tracer = tracer;
    this.#options = options;
    this.#open = new OpenSpans(tracer);
  }

  /** A producer span, whose context all jobs of the call carry. */
  async enqueue(call: EnqueueCall, next: () => Promise<readonly Enqueued[]>): Promise<readonly Enqueued[]> {
    const { queue, kind, jobs, job } = call;
    const span = beginSpan(this.#tracer, `enqueue ${kind}`, {
      kind: SpanKind.PRODUCER,
      attributes: { ...attributesOf(ENQUEUE, { queue, kind, count: jobs.length }), ...this.#keyOf(job.key) },
      // The jobs that keep a context of their caller's.
      links: jobs.flatMap(({ metadata }) => linkTo(context.active(), metadata)),
    });
    const inside = trace.setSpan(context.active(), span);
    const continues = this.#continued.mayContinue(context.active(), inside, { kind, count: jobs.length });
    for (const each of jobs) carry(inside, each, continues);
    try {
      const outcomes = await context.with(inside, next);
      quietly(() => noteEnqueued(span, outcomes));
      return outcomes;
    } catch (error) {
      recordFailure(span, error);
      throw error;
    } finally {
      endSpan(span);
    }
  }

  /** A consumer span, with a link to the span of each job. The handler runs in its context. */
  async run<Result>(run: RunContext<unknown>, next: () => Promise<Result>): Promise<Result> {
    const { runId, jobs, job } = run;
    const { queue, kind } = job;
    const outside = this.#outside(run);
    const clock = new RunClock();
    const span = beginSpan(
      this.#tracer,
      `run ${kind}`,
      {
        kind: SpanKind.CONSUMER,
        startTime: clock.now(),
        attributes: {
          ...attributesOf(RUN, { queue, kind, publicIds: [job.publicId], count: jobs.length }),
          'rowlock.run_id': runId,
          'rowlock.attempt': job.attempt,
          'rowlock.max_attempts': job.maxAttempts,
          'rowlock.waiting_ms': job.waitedMs,
          ...this.#keyOf(run.key),
        },
        links: this.#links(run),
      },
      outside,
    );
    const inside = withKind(trace.setSpan(outside, span), kind);
    const open = this.#open.begin(run, inside, span, clock);
    try {
      const result = await context.with(inside, next);
      quietly(() => noteOutcomes(span, result, clock.now()));
      return result;
    } catch (error) {
      // A deliberate cancellation is no failure.
      const isCancelled = run.signal.reason instanceof CancelledError;
      if (!isCancelled) recordFailure(span, error, clock.now());
      quietly(() => span.setAttribute(OUTCOME, isCancelled ? 'abandon' : 'retry'));
      throw error;
    } finally {
      open.end();
    }
  }

  start({ worker }: PluginWorker): void {
    this.#open.listen(worker);
  }

  stop({ worker }: PluginWorker): void {
    this.#open.unlisten(worker);
  }

  /** The context in which a run's span begins. */
  #outside({ jobs, job }: RunContext<unknown>): ReturnType<typeof context.active> {
    const ambient = context.active();
    // A middleware of the application's own may have begun a span already.
    if (trace.getSpan(ambient) !== undefined || jobs.length > 1) return ambient;
    return this.#options.continueTraces === false || !isSoon(job) ? ambient : carried(ambient, job.metadata);
  }

  #links({ jobs }: RunContext<unknown>): Link[] {
    return jobs.flatMap(({ metadata, publicId }) =>
      linkTo(context.active(), metadata, { [MESSAGE_ID]: publicId }),
    );
  }

  #keyOf(key: string | null): { readonly 'rowlock.key'?: string } {
    return this.#options.keys === true && key !== null ? { 'rowlock.key': key } : {};
  }
}

function noteEnqueued(span: Span, outcomes: readonly Enqueued[]): void {
  const [{ publicId } = { publicId: '' }] = outcomes;
  if (outcomes.length === 1) span.setAttribute(MESSAGE_ID, publicId);
  span.setAttribute(OUTCOME, outcomeOfAll(outcomes.map(({ outcome }) => outcome)));
}

/** The outcome that a handler returned, for all its jobs or for each. */
function noteOutcomes(span: Span, result: unknown, at: number): void {
  const returned = result instanceof Map ? [...result.values()] : [result];
  const outcomes = returned.filter(isOutcome);
  span.setAttribute(OUTCOME, outcomeOfAll(outcomes.map(({ event }) => event)));
  const failed = outcomes.find(isFailure);
  if (failed !== undefined) recordFailure(span, failed.error, at);
}

function isFailure(
  outcome: Outcome<unknown>,
): outcome is Extract<Outcome<unknown>, { readonly error: unknown }> {
  return outcome.event === 'retry' || outcome.event === 'fail';
}
