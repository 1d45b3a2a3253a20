import type { RunContext, RunInfo } from '@rowlock/core';
import { PROCESS_GAUGES } from './catalogue.js';
import type { Labels, Reading } from './meter.js';
import { RunsByJob } from './runs-by-job.js';

export interface ActiveRun {
  readonly labels: Labels;
  /** By `performance.now()`. */
  readonly since: number;
  isLeftBehind: boolean;
}

/** The runs that go on in this process, those of handlers that were left behind too. */
export class ActiveRuns {
  readonly #runs = new RunsByJob<ActiveRun>();
  /** Those of all runs so far. A gauge without runs goes back to 0, and does not vanish. */
  readonly #labels = new Map<string, Labels>();

  begin({ runId, job }: RunContext<unknown>): ActiveRun {
    const run = { labels: this.#labelsOf(job), since: performance.now(), isLeftBehind: false };
    this.#runs.set(runId, job.publicId, run);
    return run;
  }

  end({ runId, job }: RunContext<unknown>): void {
    this.#runs.delete(runId, job.publicId);
  }

  leftBehind(info: RunInfo): void {
    const run = this.#runs.of(info);
    if (run !== undefined) run.isLeftBehind = true;
  }

  read(): readonly Reading[] {
    const gauges = PROCESS_GAUGES;
    const now = performance.now();
    return [...this.#labels.values()].flatMap((labels) => {
      const runs = this.#runs.values.filter((run) => run.labels === labels);
      const leftBehind = runs.filter(({ isLeftBehind }) => isLeftBehind).length;
      const since = Math.min(now, ...runs.map((run) => run.since));
      return [
        { metric: gauges.active, labels, value: runs.length - leftBehind },
        { metric: gauges.oldest, labels, value: (now - since) / 1_000 },
        { metric: gauges.leftBehind, labels, value: leftBehind },
      ];
    });
  }

  #labelsOf({ queue, kind }: RunContext<unknown>['job']): Labels {
    const name = JSON.stringify([queue, kind]);
    const labels = this.#labels.get(name) ?? { queue, kind };
    this.#labels.set(name, labels);
    return labels;
  }
}
