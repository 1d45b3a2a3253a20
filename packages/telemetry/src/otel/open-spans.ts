import { type Context, type Span, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import type { RunContext, RunInfo } from '@rowlock/core';
import type { WorkerOfPlugin } from '@rowlock/core/types';
import { RunsByJob } from '../metrics/runs-by-job.js';
import { on } from '../on.js';
import { attributesOf, type Operation, OUTCOME, outcomeOfAll } from './attributes.js';
import { recordFailure } from './failure.js';
import { beginSpan, endSpan, quietly } from './quietly.js';
import type { RunClock } from './run-clock.js';

const SETTLE: Operation = { name: 'settle', type: 'settle' };
const RELEASE: Operation = { name: 'release', type: 'settle' };

/** A run whose settlement is still to come. */
interface OpenRun {
  readonly inside: Context;
  readonly span: Span;
  readonly clock: RunClock;
  /** When its handler ended, in milliseconds since 1970. */
  endedAt: number | undefined;
}

/** The spans of runs until these are settled. A settlement comes after the middleware, and the worker's events report it. */
export class OpenSpans {
  readonly #tracer: Tracer;
  readonly #runs = new RunsByJob<OpenRun>();
  readonly #workers = new Map<WorkerOfPlugin, readonly (() => void)[]>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** @returns ends the run's span */
  begin(run: RunContext<unknown>, inside: Context, span: Span, clock: RunClock): { end(): void } {
    const open: OpenRun = { inside, span, clock, endedAt: undefined };
    this.#runs.set(run.runId, run.job.publicId, open);
    return {
      end() {
        open.endedAt = clock.now();
        // A handler that was left behind has ended its span before.
        if (quietly(() => span.isRecording()) === true) endSpan(span, open.endedAt);
      },
    };
  }

  listen(worker: WorkerOfPlugin): void {
    this.#workers.set(worker, [
      on(worker, 'settled', (run, endings) =>
        this.#settle(SETTLE, run, (span) => span.setAttribute(OUTCOME, outcomeOfAll(endings.values()))),
      ),
      on(worker, 'released', (run) =>
        this.#settle(RELEASE, run, (span) => span.setAttribute(OUTCOME, 'release')),
      ),
      on(worker, 'lost', (run, error) =>
        this.#settle(SETTLE, run, (span, at) => recordFailure(span, error, at)),
      ),
      on(worker, 'leftBehind', (run) => {
        const open = this.#runs.of(run);
        if (open === undefined) return;
        const message = 'The handler was left behind.';
        quietly(() => open.span.setStatus({ code: SpanStatusCode.ERROR, message }));
        endSpan(open.span, open.clock.now());
      }),
    ]);
  }

  unlisten(worker: WorkerOfPlugin): void {
    for (const end of this.#workers.get(worker) ?? []) end();
    this.#workers.delete(worker);
  }

  /** A span from the handler's end to the commit. A run whose middleware was not called has none. */
  #settle(operation: Operation, run: RunInfo, note: (span: Span, at: number) => void): void {
    const open = this.#runs.take(run);
    if (open === undefined) return;
    const at = open.clock.now();
    const { queue, kind, jobs } = run;
    const span = beginSpan(
      this.#tracer,
      `${operation.name} ${kind}`,
      {
        kind: SpanKind.CLIENT,
        startTime: open.endedAt ?? at,
        attributes: attributesOf(operation, { queue, kind, publicIds: jobs, count: jobs.length }),
      },
      open.inside,
    );
    quietly(() => note(span, at));
    endSpan(span, at);
  }
}
