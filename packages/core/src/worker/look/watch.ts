import type { Uses } from '../../driver/driver.js';
import type { Lanes } from '../../driver/survey.js';
import type { PartContext } from '../part.js';
import type { Parts } from '../parts.js';
import { RefusedJobs, type RefusedJobsParts } from '../refused-jobs.js';
import type { LiveRun } from '../run/live-run.js';
import { Alarm } from '../time/alarm.js';
import type { Mutex } from '../time/mutex.js';
import { MissingWorkers } from './missing-workers.js';

export interface WatchParts
  extends RefusedJobsParts,
    Pick<PartContext, 'workerId' | 'watchMs' | 'wake' | 'onFault'> {
  readonly driver: Uses<{ claims: 'reclaim' }>;
  readonly lanes: Lanes;
  readonly live: ReadonlySet<Pick<LiveRun, 'runId'>>;
  readonly parts: Pick<Parts, 'watch'>;
  /** Whether all slots are busy, so that none comes to a survey. */
  readonly busy: () => boolean;
}

/**
 * Puts back what dead workers have leased, and lets the parts watch: in a survey, and where surveys are far apart, every
 * watch interval in between.
 */
export class Watch {
  readonly #parts: WatchParts;
  /** Surveys and reclaims take place one at a time. */
  readonly #mutex: Mutex;
  readonly #missing: MissingWorkers;
  readonly #refused: RefusedJobs;
  /** Rings while all slots are busy. */
  readonly #alarm: Alarm;
  /** When the next reclaim is due; never while no worker has a lease. */
  #dueAt = Number.POSITIVE_INFINITY;
  #isReclaiming = false;
  /** Runs of this worker that are over, although the last reclaim has found their leases. */
  #ended: readonly string[] = [];

  constructor(parts: WatchParts, mutex: Mutex) {
    this.#parts = parts;
    this.#mutex = mutex;
    this.#missing = new MissingWorkers(parts.clock, parts.watchMs);
    this.#refused = new RefusedJobs(parts, 'the database refuses to put back a job of a lease that is over');
    this.#alarm = new Alarm(parts.clock, () => {
      if (parts.busy()) this.#betweenSurveys().catch(parts.onFault);
    });
  }

  /** Watches beside the slots, if all are busy. */
  start(): void {
    if (this.#parts.busy()) this.#alarm.within(this.#parts.watchMs);
  }

  /** A slot is free, and watches. */
  stop(): void {
    this.#alarm.stop();
  }

  /**
   * Watches as part of a survey.
   *
   * @param leased Whether the survey has found leases.
   * @returns whether to watch again
   * @throws DriverError
   */
  async inSurvey(leased: boolean): Promise<boolean> {
    this.#dueAt = leased ? this.#parts.clock.now() : Number.POSITIVE_INFINITY;
    if (leased) await this.#reclaim();
    return (await this.#parts.parts.watch()) || leased;
  }

  /**
   * Watches in place of a survey.
   *
   * @returns whether to watch again
   * @throws DriverError
   */
  async betweenSurveys(): Promise<boolean> {
    const { clock, parts } = this.#parts;
    if (clock.now() >= this.#dueAt) await this.#betweenSurveys();
    return (await parts.watch()) || this.#dueAt < Number.POSITIVE_INFINITY;
  }

  /** One reclaim at a time: a slot that comes meanwhile does not wait. */
  async #betweenSurveys(): Promise<void> {
    if (this.#isReclaiming) return;
    this.#isReclaiming = true;
    try {
      await this.#mutex.run(async () => {
        await this.#reclaim();
        await this.#parts.parts.watch();
      });
    } finally {
      this.#isReclaiming = false;
    }
  }

  /**
   * Puts back the jobs that dead workers have leased, and those of leases of this worker that are no run of its own. A
   * server that takes over may have lost the settlement of such a lease. A run is in `live` before its lease is visible.
   */
  async #reclaim(): Promise<void> {
    const { driver, lanes, clock, watchMs, wake, workerId, live } = this.#parts;
    const began = clock.now();
    this.#dueAt = Math.max(this.#dueAt, began + watchMs);
    const { reclaimed, missing, own, refused } = await driver.claims.reclaim({
      queues: lanes.queues,
      dead: this.#missing.dead,
      own: { workerId, ended: this.#ended },
      except: this.#refused.except,
    });
    this.#refused.add(refused);
    this.#missing.update(missing, began);
    const going = new Set([...live].map(({ runId }) => runId));
    this.#ended = own.filter((runId) => !going.has(runId));
    if (reclaimed > 0) wake();
    this.#alarm.stop();
    this.start();
  }
}
