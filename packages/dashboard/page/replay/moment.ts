import { endOf, type Run, startOf, workerOf } from './span.js';

/** What a worker had at a moment, and what came of its runs until then. */
export interface WorkerMoment {
  readonly worker: string;
  readonly running: readonly Run[];
  /** How many of its runs had ended, by outcome, in their order. */
  readonly ended: ReadonlyMap<string, number>;
}

/** The workers in the order of their names. */
export function momentOf(runs: readonly Run[], at: number): readonly WorkerMoment[] {
  return [...Map.groupBy(runs, workerOf)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([worker, own]) => {
      const over = Map.groupBy(
        own.filter((run) => endOf(run) <= at),
        ({ outcome }) => outcome,
      );
      return {
        worker,
        running: own.filter((run) => startOf(run) <= at && endOf(run) > at).toReversed(),
        ended: new Map(
          [...over].map(([outcome, each]): [string, number] => [outcome, each.length]).toSorted(),
        ),
      };
    });
}

/** How many jobs ran at a moment. */
export function runningIn(moment: readonly WorkerMoment[]): number {
  return moment.reduce((sum, { running }) => sum + running.length, 0);
}
