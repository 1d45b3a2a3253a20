import { type AuditOptions, type AuditPage, auditPage } from '../audit/entries.js';
import type { Calls } from '../client/calls.js';
import type { WorkerView } from '../driver/anchor.js';
import type { BegunRun } from '../driver/insight.js';
import { checkId } from '../job/public-id.js';
import type { Logger } from '../logger.js';
import { type Explanation, explain } from './explain.js';
import { type Picture, type PictureOptions, picture } from './picture.js';
import { jobRuns, type LatestRuns, type LatestRunsOptions, latestRuns } from './runs.js';
import { type Stats, stats } from './stats.js';
import { type Trend, type TrendOptions, trend } from './trend.js';

/**
 * Why jobs wait, and what workers do and have done. All of it only reads. A driver without `insight`, as that in memory, has
 * `trend`, `workers`, `audit` and `verify`, and rejects the other calls with an InvalidInputError.
 */
export class Insight<Tx = unknown> {
  readonly #calls: Calls<Tx>;
  readonly #log: Logger;

  constructor(calls: Calls<Tx>, log: Logger) {
    this.#calls = calls;
    this.#log = log;
  }

  /**
   * Why a job does not run: each cause as data, and in a sentence. No causes: the next claim of an idle worker takes the
   * job. Reads, and takes no lock that a claim could meet.
   *
   * A job that a transaction other than a run has locked is not seen to be.
   *
   * @throws JobNotFoundError, InvalidInputError
   * @example
   * const { reasons } = await rowlock.insight.explain(publicId);
   * for (const { text } of reasons) console.log(text);
   */
  async explain(publicId: string): Promise<Explanation> {
    return explain(this.#calls.driver, checkId(publicId));
  }

  /**
   * The jobs at the front of a queue in the order of the claim, each with its state as the next claim meets it, and the
   * workers that serve the queue. Reads a few indexes, and waits for no job's lock.
   *
   * Of jobs with different limits, each set has an equal share of `limit`. Of a key that is shown, the first job is shown
   * too, and so is the first one that a run has, so there may be more jobs than `limit`.
   *
   * @throws InvalidInputError
   * @example
   * const { jobs, more } = await rowlock.insight.picture({ queue: 'mail' });
   * for (const { publicId, state, run } of jobs) console.log(publicId, state, run?.worker);
   */
  async picture(options: PictureOptions): Promise<Picture> {
    return picture(this.#calls.driver, options);
  }

  /**
   * How many jobs wait and run, by queue and kind, and what was settled within a minute and an hour. Reads indexes and
   * sums, never the history, so it may be called every few seconds.
   *
   * Of each queue up to 10,000 due jobs and as many delayed ones are counted, and about 20,000 of all queues together.
   * Workers report every 2 s. A worker that dies takes the counts of its last seconds with it.
   */
  async stats(): Promise<Stats> {
    return stats(this.#calls.driver);
  }

  /**
   * What workers have settled in the last hours or days, as points in order. Reads the sums that `stats` reads, which are
   * kept for a week.
   *
   * @throws InvalidInputError
   * @example
   * const { points } = await rowlock.insight.trend({ last: '24h', queue: 'mail' });
   * for (const { at, settled, failed } of points) console.log(at, settled, failed);
   */
  async trend(options: TrendOptions = {}): Promise<Trend> {
    return trend(this.#calls.driver.history, options);
  }

  /**
   * The runs of a job that are on record, oldest first, with their workers, times, outcomes and errors.
   *
   * A run that gave its job back whole has no record. The worker of a run is not on record if the run completed several
   * jobs, or jobs of a batch.
   *
   * @throws JobNotFoundError, InvalidInputError
   */
  runs(publicId: string): Promise<readonly BegunRun[]>;
  /**
   * The runs that began in a time, newest first, each with its job, its worker and its outcome. A run of several jobs is
   * there once for each job.
   *
   * Looks at the newest runs of each worker. With a filter it looks at up to 2,000 runs, or at `limit` if that is more,
   * and `older` says where to look on. Leaves out runs without a record, as those of a job do: completed
   * jobs of groups and batches. Leaves out the runs of workers that have been gone for a day.
   *
   * @throws InvalidInputError
   * @example
   * const { runs } = await rowlock.insight.runs({ queue: 'mail', outcome: 'crashed' });
   */
  runs(time?: LatestRunsOptions): Promise<LatestRuns>;
  async runs(wanted: string | LatestRunsOptions = {}): Promise<readonly BegunRun[] | LatestRuns> {
    const { driver, clock } = this.#calls;
    if (typeof wanted !== 'string') return latestRuns(driver, clock, wanted);
    return jobRuns(driver, checkId(wanted));
  }

  /** The workers that are alive, and those that stopped within the last hour, or died within an hour of their start. */
  async workers(): Promise<readonly WorkerView[]> {
    return this.#calls.shared.workers();
  }

  /**
   * What operators have done, newest first, a page at a time: what was done by the calls of `rowlock.as(name)`, which the
   * command line and the dashboard make too. `retention.audit` says how long it is kept.
   *
   * @throws InvalidInputError
   * @example
   * const { entries } = await rowlock.insight.audit({ scope: 'queue', name: 'mail' });
   * for (const { at, by, action } of entries) console.log(at, by, action);
   */
  async audit(options: AuditOptions = {}): Promise<AuditPage> {
    return auditPage(this.#calls.driver.audit, options);
  }

  /**
   * Resolves if the database has all that this version needs. A database that a later version has migrated has it too.
   * Logs a warning for a state of the server that will do harm if it lasts.
   *
   * @throws DriverError `SchemaOutdated` when tables are missing, or older; `SchemaDiffers` when a migration was edited
   * since they were made; `Unknown` when a setting of the server is unsuitable.
   */
  async verify(): Promise<void> {
    const { warnings = [] } = await this.#calls.driver.schema.verify();
    for (const warning of warnings) this.#log.warn({}, warning);
  }
}
