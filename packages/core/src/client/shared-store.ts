import type { Clock } from '../clock.js';
import type { WorkerView } from '../driver/anchor.js';
import type { Driver } from '../driver/driver.js';
import type { JobEntry, JobFilter, Page } from '../driver/job-filter.js';
import type { CountPage, JobPage, JobUpdate, Moved, Updated } from '../driver/jobs.js';
import type { WakeUp } from '../driver/wake-up.js';
import { wakeUpsAfter } from '../followers/awaited.js';
import type { Enqueued, JobView, NewJob } from '../job/job.js';
import { type ClientEvent, type State, TRANSITIONS } from '../job/lifecycle.js';
import type { Logger } from '../logger.js';
import type { ClientStore } from './client-store.js';
import { GatheredCalls, type Send } from './gathered-calls.js';
import { GatheredEnqueues } from './gathered-enqueues.js';
import type { LocalWorkers } from './local-workers.js';
import { Notifier } from './notifier.js';
import { type PoolShare, shareOf } from './pool-share.js';

/** The most jobs of a statement that several calls share. A job that is found may have megabytes. */
const MOST_FOUND = 50;

/** A move of 500 jobs takes MySQL longer than a statement may keep the next ones waiting. */
const MOST_MOVED = 100;

const MOST_WAKE_UPS = 500;

/**
 * How long a shared statement may wait for another transaction, in milliseconds. After that, the call that waits is
 * separated from the others. That call then waits as long as the driver lets it.
 */
const SHARED_WAIT_MS = 200;

/** The driver's store, on its pool, for many calls at once: they share connections and statements. */
export class SharedStore implements ClientStore {
  readonly isJoined = false;
  readonly #driver: Driver;
  readonly #share: PoolShare;
  readonly #notifier: Notifier;
  readonly #enqueues: GatheredEnqueues;
  readonly #finds: GatheredCalls<string, JobView | null>;
  readonly #moves: Readonly<Record<ClientEvent, GatheredCalls<string, Moved>>>;
  readonly #wakeUps: GatheredCalls<WakeUp, WakeUp>;

  constructor(driver: Driver, here: LocalWorkers, log: Logger, clock: Clock) {
    const share = shareOf(driver, clock);
    const gathered = <Input, Output>(send: Send<Input, Output>, most: number) =>
      new GatheredCalls<Input, Output>((...call) => share.run(() => send(...call)), most, clock);
    const moves = (event: ClientEvent) =>
      gathered<string, Moved>((ids, isShared) => this.#move(event, ids, waitMs(isShared)), MOST_MOVED);
    this.#driver = driver;
    this.#share = share;
    this.#enqueues = new GatheredEnqueues(
      (jobs, isShared) => share.run(() => this.#enqueue(jobs, waitMs(isShared))),
      clock,
    );
    this.#finds = gathered((ids) => this.#find(ids), MOST_FOUND);
    this.#moves = { cancel: moves('cancel'), redrive: moves('redrive') };
    this.#wakeUps = gathered((wakeUps) => this.#notify(wakeUps), MOST_WAKE_UPS);
    this.#notifier = new Notifier(this, here, log, clock);
  }

  enqueue(jobs: readonly NewJob[]): Promise<readonly Enqueued[]> {
    return this.#enqueues.enqueue(jobs);
  }

  uniqueJobs(kind: string, keys: readonly string[]): Promise<readonly (string | null)[]> {
    return this.#share.run(() => this.#driver.jobs.uniqueJobs(kind, keys));
  }

  async find(publicId: string): Promise<JobView | undefined> {
    const [job] = await this.#finds.call([publicId]);
    return job ?? undefined;
  }

  /** The states of those of these jobs that exist, by public id, as their rows have them. Up to 1,000. */
  async states(publicIds: readonly string[]): Promise<ReadonlyMap<string, State>> {
    const { jobs } = await this.entries({ publicIds }, { limit: publicIds.length, before: null });
    return new Map(jobs.map(({ publicId, status }) => [publicId, status]));
  }

  list(filter: JobFilter, page: Page): Promise<JobPage> {
    return this.#share.run(() => this.#driver.jobs.list(filter, page));
  }

  entries(filter: JobFilter, page: Page): Promise<JobPage<JobEntry>> {
    return this.#share.run(() => this.#driver.jobs.entries(filter, page));
  }

  count(filter: JobFilter, page: Page): Promise<CountPage> {
    return this.#share.run(() => this.#driver.jobs.count(filter, page));
  }

  move(event: ClientEvent, publicIds: readonly string[]): Promise<readonly Moved[]> {
    return this.#moves[event].call(publicIds);
  }

  update(publicId: string, update: JobUpdate, waitMs?: number): Promise<Updated> {
    return this.#share.run(() => this.#driver.jobs.update(publicId, update, waitMs));
  }

  workers(): Promise<readonly WorkerView[]> {
    return this.#share.run(() => this.#driver.workers.list());
  }

  async notify(wakeUps: readonly WakeUp[]): Promise<void> {
    await this.#wakeUps.call(wakeUps);
  }

  wake(wakeUps: readonly WakeUp[]): Promise<void> {
    return this.#notifier.send(wakeUps);
  }

  /** Resolves when all gathered jobs are written, or refused, and every wake-up has been sent. */
  async flush(): Promise<void> {
    await this.#enqueues.flush();
    await this.#notifier.flush();
  }

  #enqueue(jobs: readonly NewJob[], waitMs: number | undefined): Promise<readonly Enqueued[]> {
    const queues = new Set(jobs.map(({ queue }) => queue));
    return this.#notifier.with([...queues], (wakeUps) =>
      this.#driver.jobs.enqueue(jobs, [...wakeUps, ...wakeUpsAfter(jobs)], waitMs),
    );
  }

  /** Two calls may name the same job: the second one meets what the first has left. */
  async #move(
    event: ClientEvent,
    publicIds: readonly string[],
    waitMs: number | undefined,
  ): Promise<readonly Moved[]> {
    const ids = [...new Set(publicIds)];
    const moves = await this.#driver.jobs.move(event, ids, { waitMs });
    const ended = ids.filter((_, place) => moves[place]?.outcome === 'moved');
    if (event === 'cancel' && ended.length > 0) await this.letGo(ended);
    const met = new Map<string, Moved>(ids.map((id, place) => [id, moves[place] ?? { outcome: 'missing' }]));
    return publicIds.map((id) => {
      const moved = met.get(id) ?? { outcome: 'missing' };
      if (moved.outcome === 'moved') met.set(id, { outcome: 'illegal', status: TRANSITIONS[event].to });
      return moved;
    });
  }

  /** Lets jobs go that wait for the end of these. After a failure the workers find them. */
  async letGo(after: readonly string[]): Promise<void> {
    try {
      const { queues, skipped } = await this.#driver.followers.admit({ after });
      const wakeUps: readonly WakeUp[] = [
        ...queues.map((queue) => ({ queue })),
        ...(skipped ? after.map((publicId) => ({ after: publicId })) : []),
      ];
      if (wakeUps.length > 0) await this.#driver.workers.notify(wakeUps);
    } catch {}
  }

  async #find(publicIds: readonly string[]): Promise<readonly (JobView | null)[]> {
    const ids = [...new Set(publicIds)];
    const { jobs } = await this.#driver.jobs.list({ publicIds: ids }, { limit: ids.length, before: null });
    const found = new Map(jobs.map((job) => [job.publicId, job]));
    return publicIds.map((id) => found.get(id) ?? null);
  }

  async #notify(wakeUps: readonly WakeUp[]): Promise<readonly WakeUp[]> {
    const distinct = new Map(wakeUps.map((wakeUp) => [JSON.stringify(wakeUp), wakeUp]));
    await this.#driver.workers.notify([...distinct.values()]);
    return wakeUps;
  }
}

function waitMs(isShared: boolean): number | undefined {
  return isShared ? SHARED_WAIT_MS : undefined;
}
