import type { Enqueued, PluginWorker, RunContext } from '@rowlock/core';
import type { EnqueueCall, WorkerOfPlugin } from '@rowlock/core/types';
import { on } from '../on.js';
import { ActiveRuns } from './active-runs.js';
import { PROCESS_GAUGES } from './catalogue.js';
import type { Meter, Reading } from './meter.js';

/** Measures what happens to jobs in this process: the middleware and the events of a plugin. */
export class Measurements {
  readonly #meter: Meter;
  readonly #active = new ActiveRuns();
  /** The workers that have started, and what ends their events. */
  readonly #workers = new Map<WorkerOfPlugin, readonly (() => void)[]>();

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  async enqueue(
    { queue, kind }: EnqueueCall,
    next: () => Promise<readonly Enqueued[]>,
  ): Promise<readonly Enqueued[]> {
    const outcomes = await next();
    for (const [outcome, jobs] of countOf(outcomes.map((each) => each.outcome)))
      this.#meter.add('enqueued', { queue, kind, outcome }, jobs);
    return outcomes;
  }

  async run<Result>(run: RunContext<unknown>, next: () => Promise<Result>): Promise<Result> {
    const { labels, since } = this.#active.begin(run);
    for (const { waitedMs } of run.jobs) this.#meter.record('waiting', labels, waitedMs / 1_000);
    try {
      return await next();
    } finally {
      this.#active.end(run);
      this.#meter.record('duration', labels, (performance.now() - since) / 1_000);
    }
  }

  start({ worker }: PluginWorker): void {
    this.#workers.set(worker, [
      on(worker, 'settled', ({ queue, kind }, endings) => {
        for (const [outcome, jobs] of countOf(endings.values()))
          this.#meter.add('settled', { queue, kind, outcome }, jobs);
      }),
      on(worker, 'leftBehind', (run) => this.#active.leftBehind(run)),
      on(worker, 'lost', ({ queue, kind }) => this.#meter.add('lost', { queue, kind }, 1)),
      on(worker, 'fault', () => this.#meter.add('faults', {}, 1)),
    ]);
  }

  stop({ worker }: PluginWorker): void {
    for (const end of this.#workers.get(worker) ?? []) end();
    this.#workers.delete(worker);
  }

  /** The gauges of this process. */
  read(): readonly Reading[] {
    const slots = [...this.#workers.keys()].reduce((sum, { concurrency }) => sum + concurrency, 0);
    return [{ metric: PROCESS_GAUGES.concurrency, labels: {}, value: slots }, ...this.#active.read()];
  }
}

/** How often each of them comes. */
function countOf<Name extends string>(names: Iterable<Name>): ReadonlyMap<Name, number> {
  const counts = new Map<Name, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
