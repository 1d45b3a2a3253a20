import { type Enqueueable, JobNotFoundError, type JobView, ScheduleNotFoundError } from '@rowlock/core';
import type { BegunRun, LatestRuns, LatestRunsOptions, NamedJob } from '@rowlock/core/types';
import type { Calls } from '../calls.js';
import { Problem } from '../http/problem.js';
import { inScope, isInScope, type Scope } from '../scope.js';
import { auditIn, jobsIn } from './audit.js';
import { NarrowedChanges } from './changes.js';
import { explanationIn, jobsOf } from './explanation.js';
import { pausesIn } from './pauses.js';
import { pictureIn } from './picture.js';
import { workersIn } from './workers.js';

/** A call names up to so many jobs. */
const MOST_IDS = 1_000;

/**
 * What a viewer of some queues and kinds gets of a Rowlock. All routes of the page have this alone, so none can forget it. What
 * is of all queues together and cannot be cut is not there.
 */
export class NarrowedCalls implements Calls {
  readonly #all: Calls;
  readonly #scope: Scope;
  readonly handlers: Calls['handlers'];

  constructor(all: Calls, scope: Scope) {
    this.#all = all;
    this.#scope = scope;
    this.handlers = all.handlers.filter(({ kind, queue = 'default' }) => isInScope(scope, { queue, kind }));
  }

  as(name: string): NarrowedChanges {
    return new NarrowedChanges(this.#all.as(name), { all: this.#all, seen: this, scope: this.#scope });
  }

  find(publicId: string): Promise<JobView | undefined>;
  find(handler: Enqueueable, publicId: string): Promise<JobView | undefined>;
  async find(...given: [string] | [Enqueueable, string]): Promise<JobView | undefined> {
    const job = await (given.length === 1 ? this.#all.find(...given) : this.#all.find(...given));
    return job !== undefined && isInScope(this.#scope, job) ? job : undefined;
  }

  readonly jobs: Calls['jobs'] = {
    list: async (options = {}) => {
      const own = inScope(this.#scope, options);
      return own === null ? { jobs: [], cursor: null, stopped: false } : this.#all.jobs.list(own);
    },
    count: async (options = {}) => {
      const own = inScope(this.#scope, options);
      return own === null ? { count: 0, more: false } : this.#all.jobs.count(own);
    },
    pauses: async () =>
      pausesIn(this.#scope, await this.#all.jobs.pauses(), async () => (await this.insight.stats()).lanes),
  };

  readonly schedules: Calls['schedules'] = {
    list: async () =>
      (await this.#all.schedules.list()).filter((schedule) => isInScope(this.#scope, schedule)),
    preview: async (schedule, count) => {
      if (typeof schedule === 'string') await this.#existing(schedule);
      return this.#all.schedules.preview(schedule, count);
    },
  };

  /** A limit is of all queues that share it. */
  readonly limits: Calls['limits'] = { list: async () => [] };

  /** A problem names the table and not the kind. */
  readonly captures: Calls['captures'] = { check: async () => [] };

  readonly insight: Calls['insight'] = {
    explain: async (publicId) => {
      await this.#found(publicId);
      const explanation = await this.#all.insight.explain(publicId);
      const seen = await this.#seen(explanation.reasons.flatMap(jobsOf));
      return explanationIn(this.#scope, explanation, seen);
    },
    picture: async (options) =>
      pictureIn(this.#scope, options.queue, () => this.#all.insight.picture(options)),
    stats: async () => {
      const { lanes } = await this.#all.insight.stats();
      return { lanes: lanes.filter((lane) => isInScope(this.#scope, lane)) };
    },
    trend: async (options = {}) => {
      const own = inScope(this.#scope, options);
      if (own === null)
        throw new Problem(403, 'You may not see this queue, or this kind.', { permission: 'read' });
      return this.#all.insight.trend(own);
    },
    runs: this.#runs.bind(this),
    workers: async () => workersIn(this.#scope, await this.#all.insight.workers()),
    audit: async (options = {}) => {
      const [page, schedules] = await Promise.all([this.#all.insight.audit(options), this.schedules.list()]);
      const jobs = page.entries.flatMap(jobsIn);
      const seen = { jobs: await this.#seen(jobs), schedules: new Set(schedules.map(({ name }) => name)) };
      return { ...page, entries: auditIn(this.#scope, page.entries, seen) };
    },
  };

  #runs(publicId: string): Promise<readonly BegunRun[]>;
  #runs(time?: LatestRunsOptions): Promise<LatestRuns>;
  async #runs(wanted: string | LatestRunsOptions = {}): Promise<readonly BegunRun[] | LatestRuns> {
    if (typeof wanted === 'string') {
      await this.#found(wanted);
      return this.#all.insight.runs(wanted);
    }
    const own = inScope(this.#scope, wanted);
    return own === null ? { runs: [], older: null } : this.#all.insight.runs(own);
  }

  /** @throws JobNotFoundError */
  async #found(publicId: string): Promise<void> {
    if ((await this.find(publicId)) === undefined) throw new JobNotFoundError(publicId);
  }

  /** @throws ScheduleNotFoundError */
  async #existing(name: string): Promise<void> {
    if (!(await this.schedules.list()).some((schedule) => schedule.name === name))
      throw new ScheduleNotFoundError(name);
  }

  /** Those of these jobs that are in the scope. */
  async #seen(publicIds: readonly NamedJob['publicId'][]): Promise<ReadonlySet<string>> {
    if (publicIds.length === 0) return new Set();
    const wanted = [...new Set(publicIds)].slice(0, MOST_IDS);
    const { jobs } = await this.jobs.list({ publicIds: wanted, limit: MOST_IDS });
    return new Set(jobs.map(({ publicId }) => publicId));
  }
}
