import type { RunInfo } from '@rowlock/core';

/**
 * Values of the runs that go on, found by a worker's events. A run's middleware does not get the jobs that a schema refused,
 * and the events have all jobs. Runs of a batch share their id.
 */
export class RunsByJob<Value> {
  readonly #values = new Map<string, Value>();

  get values(): readonly Value[] {
    return [...this.#values.values()];
  }

  /** @param publicId Of one of its jobs. */
  set(runId: string, publicId: string, value: Value): void {
    this.#values.set(name(runId, publicId), value);
  }

  delete(runId: string, publicId: string): void {
    this.#values.delete(name(runId, publicId));
  }

  /** Undefined for a run whose middleware was not called. */
  of(run: RunInfo): Value | undefined {
    const own = this.#nameOf(run);
    return own === undefined ? undefined : this.#values.get(own);
  }

  take(run: RunInfo): Value | undefined {
    const own = this.#nameOf(run);
    const value = own === undefined ? undefined : this.#values.get(own);
    if (own !== undefined) this.#values.delete(own);
    return value;
  }

  #nameOf({ runId, jobs }: RunInfo): string | undefined {
    return jobs.map((publicId) => name(runId, publicId)).find((each) => this.#values.has(each));
  }
}

function name(runId: string, publicId: string): string {
  return `${runId} ${publicId}`;
}
