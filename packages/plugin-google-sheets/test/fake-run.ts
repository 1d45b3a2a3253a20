import type { Outcome, RunContext } from '@rowlock/core';
import type { AnyHandler } from '@rowlock/core/driver';

/** What the application wrote in the claim's transaction. */
export interface FakeTx {
  readonly writes: string[];
}

export interface FakeRun {
  readonly key?: string | null;
  readonly payload?: unknown;
  readonly attempt?: number;
  /** One for each attempt before this one, unless there were others. */
  readonly earlierRuns?: number;
  /** How long ago the job was enqueued; default just now. */
  readonly ageMs?: number;
  /** How many jobs are grouped into the run. */
  readonly jobs?: number;
  readonly signal?: AbortSignal;
  readonly timeLeftMs?: number;
}

/** Runs a handler as a worker would: its own schema checks the payload, and its code gets a context. */
export async function run(
  handler: AnyHandler<FakeTx>,
  options: FakeRun = {},
): Promise<{ outcome: Outcome; tx: FakeTx; warnings: string[] }> {
  const { key = 'k1', attempt = 1, jobs = 1, timeLeftMs = 30_000, ageMs = 0 } = options;
  const checked = await handler.payload['~standard'].validate(options.payload ?? {});
  if (checked.issues) throw new Error(JSON.stringify(checked.issues));
  const job = (index: number) => ({
    publicId: `job-${index}`,
    queue: handler.queue,
    kind: handler.kind,
    payload: checked.value,
    attempt,
    earlierRuns: options.earlierRuns ?? attempt - 1,
    maxAttempts: handler.attempts ?? 5,
    metadata: {},
    waitedMs: 0,
    createdAt: new Date(Date.now() - ageMs),
    tick: null,
    key,
  });
  const [tx, warnings]: [FakeTx, string[]] = [{ writes: [] }, []];
  const silent = () => {};
  const refused = () => Promise.reject(new Error('The handlers enqueue nothing.'));
  const context: RunContext<unknown, FakeTx> = {
    jobs: [job(0), ...Array.from({ length: jobs - 1 }, (_, index) => job(index + 1))],
    job: job(0),
    key,
    runId: 'process',
    tx,
    signal: options.signal ?? new AbortController().signal,
    timeLeft: () => timeLeftMs,
    progress: Object.assign(() => {}, { update: silent }),
    enqueue: refused,
    enqueueMany: refused,
    log: { debug: silent, info: silent, error: silent, warn: (_, message) => void warnings.push(message) },
  };
  if (!('run' in handler.code)) throw new Error('The handler is a class.');
  return { outcome: single(await handler.code.run(context)), tx, warnings };
}

/** The outcome of all jobs, or that of the first. */
function single(result: unknown): Outcome {
  if (result instanceof Map) return single(result.get('job-0'));
  if (isOutcome(result)) return result;
  throw new Error('The handler gave no outcome for all its jobs.');
}

function isOutcome(result: unknown): result is Outcome {
  return typeof result === 'object' && result !== null && 'event' in result;
}
