import {
  type Enqueueable,
  type Enqueued,
  type EnqueueOptions,
  InvalidInputError,
  type JobChanges,
  type JobFilter,
  JobNotFoundError,
  type Pausable,
  ScheduleNotFoundError,
} from '@rowlock/core';
import type { ManyChanged } from '@rowlock/core/types';
import type { Calls, Changes } from '../calls.js';
import { Problem } from '../http/problem.js';
import type { Permission } from '../permission.js';
import { inScope, isInScope, isOwnWork, type Scope, type Work } from '../scope.js';

interface Parts {
  /** What is in the database. */
  readonly all: Pick<Calls, 'schedules'>;
  /** What of it the viewer sees. */
  readonly seen: Pick<Calls, 'find' | 'schedules'>;
  readonly scope: Scope;
}

const NONE: ManyChanged = { found: 0, changed: 0, signalled: 0, skipped: 0 };

/** What a viewer of some queues and kinds may change. What is not seen is not found either. */
export class NarrowedChanges implements Changes {
  readonly #made: Changes;
  readonly #parts: Parts;

  constructor(made: Changes, parts: Parts) {
    this.#made = made;
    this.#parts = parts;
  }

  async enqueue(handler: Enqueueable, options: EnqueueOptions<unknown>): Promise<Enqueued> {
    this.#mayEnqueue(handler);
    return this.#shown(await this.#made.enqueue(handler, options));
  }

  async cancel(publicId: string): Promise<'cancelled' | 'signalled'> {
    await this.#found(publicId);
    return this.#made.cancel(publicId);
  }

  async redrive(publicId: string): Promise<void> {
    await this.#found(publicId);
    return this.#made.redrive(publicId);
  }

  async update(publicId: string, changes: JobChanges): Promise<'updated' | 'running'> {
    await this.#found(publicId);
    this.#mayChange(changes);
    return this.#made.update(publicId, changes);
  }

  readonly jobs: Changes['jobs'] = {
    cancelMany: (filter, options) => this.#many(filter, (own) => this.#made.jobs.cancelMany(own, options)),
    redriveMany: (filter, options) => this.#many(filter, (own) => this.#made.jobs.redriveMany(own, options)),
    updateMany: async (filter, changes, options = {}) => {
      // Where a job would be moved to is not chosen yet in a dry run.
      if (options.dryRun !== true) this.#mayChange(changes);
      return this.#many(filter, (own) => this.#made.jobs.updateMany(own, changes, options));
    },
    deleteMany: (filter, options) => this.#many(filter, (own) => this.#made.jobs.deleteMany(own, options)),
    pause: async (work, options) => {
      this.#mayPause(work);
      return this.#made.jobs.pause(work, options);
    },
    resume: async (work) => {
      this.#mayPause(work);
      return this.#made.jobs.resume(work);
    },
  };

  readonly limits: Changes['limits'] = {
    set: async () => refuse('limits', 'a limit, which all queues share'),
    reset: async () => refuse('limits', 'a limit, which all queues share'),
  };

  /** The same error may be in other queues, whose viewers would have what is said of it. */
  readonly errors: Changes['errors'] = {
    mute: async () => refuse('errors', 'errors, which other queues may have too'),
    unmute: async () => refuse('errors', 'errors, which other queues may have too'),
    note: async () => refuse('errors', 'errors, which other queues may have too'),
  };

  readonly schedules: Changes['schedules'] = {
    set: async (name, schedule) => {
      this.#mayEnqueue(schedule.handler);
      const { all, seen } = this.#parts;
      const [taken, own] = await Promise.all([has(all, name), has(seen, name)]);
      if (taken && !own)
        throw new Problem(409, `The name ${JSON.stringify(name)} is taken: choose another one.`);
      return this.#made.schedules.set(name, schedule);
    },
    run: async (name) => {
      await this.#existing(name);
      return this.#shown(await this.#made.schedules.run(name));
    },
    pause: async (name) => {
      await this.#existing(name);
      return this.#made.schedules.pause(name);
    },
    resume: async (name) => {
      await this.#existing(name);
      return this.#made.schedules.resume(name);
    },
    remove: async (name) => {
      await this.#existing(name);
      return this.#made.schedules.remove(name);
    },
  };

  /** A filter that means everything stays a mistake. @throws InvalidInputError */
  async #many(filter: JobFilter, change: (own: JobFilter) => Promise<ManyChanged>): Promise<ManyChanged> {
    if (Object.values(filter).every((condition) => condition === undefined))
      throw new InvalidInputError(
        "A filter is required, with one condition at least: { kind: 'mail.send' }.",
      );
    const own = inScope(this.#parts.scope, filter);
    return own === null ? NONE : change(own);
  }

  /** @throws Problem 403 where a job would leave the scope, or get another limit, which is of all queues */
  #mayChange({ queue, limit }: Pick<JobChanges, 'queue' | 'limit'>): void {
    if (limit !== undefined) refuse('update', 'limits');
    if (queue !== undefined && this.#parts.scope.queues?.includes(queue) === false)
      refuse('update', `the queue ${JSON.stringify(queue)}`);
  }

  /** @throws Problem 403 */
  #mayEnqueue({ kind, queue = 'default' }: Pick<Enqueueable, 'kind' | 'queue'>): void {
    if (!isInScope(this.#parts.scope, { queue, kind }))
      refuse('enqueue', `the kind ${JSON.stringify(kind)} in the queue ${JSON.stringify(queue)}`);
  }

  /** @throws Problem 403 for work that is not the viewer's alone */
  #mayPause(pausable: Pausable): void {
    const work = workOf(pausable);
    if (isOwnWork(this.#parts.scope, work)) return;
    const { scope, name } = work;
    refuse('pause', scope === 'all' ? 'all work' : `all jobs of the ${scope} ${JSON.stringify(name)}`);
  }

  /** The job of a kind and a unique key may be in another queue. @throws Problem 409 */
  async #shown(enqueued: Enqueued): Promise<Enqueued> {
    if (enqueued.outcome === 'enqueued' || (await this.#parts.seen.find(enqueued.publicId)) !== undefined)
      return enqueued;
    throw new Problem(409, 'A job that you may not see has this unique key.');
  }

  /** @throws JobNotFoundError */
  async #found(publicId: string): Promise<void> {
    if ((await this.#parts.seen.find(publicId)) === undefined) throw new JobNotFoundError(publicId);
  }

  /** @throws ScheduleNotFoundError */
  async #existing(name: string): Promise<void> {
    if (!(await has(this.#parts.seen, name))) throw new ScheduleNotFoundError(name);
  }
}

async function has({ schedules }: Pick<Calls, 'schedules'>, name: string): Promise<boolean> {
  return (await schedules.list()).some((schedule) => schedule.name === name);
}

function workOf(work: Pausable): Work {
  if (work === 'all') return { scope: 'all', name: '' };
  if ('queue' in work) return { scope: 'queue', name: work.queue };
  return 'kind' in work ? { scope: 'kind', name: work.kind } : { scope: 'limit', name: work.limit };
}

/** @throws Problem 403 */
function refuse(permission: Permission, what: string): never {
  throw new Problem(403, `You need the permission ${JSON.stringify(permission)} for ${what}.`, {
    permission,
  });
}
