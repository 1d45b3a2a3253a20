import { isIn, lanesIn } from '../client/check-filter.js';
import type { Clock } from '../clock.js';
import type { Driver } from '../driver/driver.js';
import type { BegunRun } from '../driver/insight.js';
import type { JobFilter } from '../driver/job-filter.js';
import { JobNotFoundError } from '../errors.js';
import { checkDate, checkName, checkWhole } from '../input.js';
import { checkOptions } from '../known-options.js';
import { insightOf } from './surroundings.js';

/** The highest `limit`. */
const MOST = 5_000;

/** How many runs are looked at, at least, where a filter leaves some out. */
const LOOK = 2_000;

const HOUR_MS = 3_600_000;

/** The runs to find. All the given conditions must hold. */
export interface LatestRunsOptions extends Pick<JobFilter, 'queue' | 'kind'> {
  /** The earliest begin of a run. Default: an hour before `before`, or before now. */
  readonly from?: Date;
  /** The begin of a run is before this. Default: now. */
  readonly before?: Date;
  /** The name of the worker. */
  readonly worker?: string;
  readonly outcome?: BegunRun['outcome'];
  /** 1 to 5,000. Default 100. */
  readonly limit?: number;
}

const OPTIONS: readonly string[] = [
  'from',
  'before',
  'queue',
  'kind',
  'worker',
  'outcome',
  'limit',
] satisfies (keyof LatestRunsOptions)[];

export interface LatestRuns {
  /** Newest first. */
  readonly runs: readonly BegunRun[];
  /** There may be earlier ones in this time: those that began before this. The runs of its last millisecond come again. Null: there are none. */
  readonly older: Date | null;
}

/** The runs of a job, oldest first. @throws JobNotFoundError, InvalidInputError, DriverError */
export async function jobRuns(
  driver: Pick<Driver, 'name' | 'insight'>,
  publicId: string,
): Promise<readonly BegunRun[]> {
  const runs = await insightOf(driver).runs({ publicId });
  if (runs === undefined) throw new JobNotFoundError(publicId);
  return runs;
}

/** @throws InvalidInputError, DriverError */
export async function latestRuns(
  driver: Pick<Driver, 'name' | 'insight'>,
  clock: Clock,
  options: LatestRunsOptions,
): Promise<LatestRuns> {
  checkOptions('runs()', options, OPTIONS);
  const { from, before, limit = 100, worker, outcome } = options;
  const lanes = lanesIn(options);
  checkWhole('limit', limit, 1, MOST);
  for (const [name, value] of Object.entries({ worker, outcome }))
    if (value !== undefined) checkName(name, value);
  for (const [name, time] of Object.entries({ from, before })) if (time !== undefined) checkDate(name, time);
  const isFiltered = [lanes.queues, lanes.kinds, worker, outcome].some((value) => value !== undefined);
  const look = isFiltered ? Math.max(limit, LOOK) : limit;
  const began = {
    from: from ?? new Date((before?.getTime() ?? clock.now()) - HOUR_MS),
    before: before ?? null,
    limit: look,
  };
  const looked = (await insightOf(driver).runs(began)) ?? [];
  const found = looked.filter(
    (run) =>
      isIn(lanes, run) &&
      (worker === undefined || worker === run.worker) &&
      (outcome ?? run.outcome) === run.outcome,
  );
  const page = found.slice(0, limit);
  return {
    runs: page,
    older: beforeThese(found.length > limit ? page : looked.length === look ? looked : []),
  };
}

/** The runs of the last millisecond come again, as some may be left out. If there were no others, they are left behind. */
function beforeThese(runs: readonly BegunRun[]): Date | null {
  const [first, last] = [runs[0], runs.at(-1)];
  if (first === undefined || last === undefined) return null;
  const at = last.startedAt.getTime();
  return new Date(first.startedAt.getTime() === at ? at : at + 1);
}
