import type { Enqueued } from '@rowlock/core';
import type {
  ClientEvent,
  JobCount,
  JobFilter,
  JobIdPage,
  JobPage,
  JobUpdate,
  LimitNumbers,
  LimitSetting,
  Moved,
  NewJob,
  NewPause,
  Page,
  PauseMode,
  PauseTarget,
  PauseView,
  RunView,
  ScheduleStore,
  Store,
  Updated,
  WakeUp,
  WorkerView,
} from '@rowlock/core/driver';
import type { Database } from './database.js';
import type { Runner } from './runner.js';
import { schedulesOf } from './schedules.js';
import * as statements from './statements.js';

/** The verbs that stand alone, each committed by itself or in a caller's transaction. */
export class MemoryStore implements Store {
  readonly schedules: ScheduleStore = schedulesOf((statement) => this.execute(statement));

  constructor(
    protected readonly db: Database,
    protected readonly on: Runner,
  ) {}

  enqueue(
    jobs: readonly NewJob[],
    wakeUps: readonly WakeUp[] = [],
    waitMs?: number,
  ): Promise<readonly Enqueued[]> {
    return this.execute(async (place) => {
      const outcomes = await statements.enqueue(place, jobs);
      if (outcomes.some(({ outcome }) => outcome === 'enqueued')) statements.notify(place, wakeUps);
      return outcomes;
    }, waitMs);
  }

  uniqueJobs(kind: string, keys: readonly string[]): Promise<readonly (string | null)[]> {
    return this.execute((place) => statements.uniqueJobs(place, kind, keys));
  }

  list(filter: JobFilter, page: Page): Promise<JobPage> {
    return this.execute((place) => statements.list(place, filter, page));
  }

  listIds(filter: JobFilter, page: Page): Promise<JobIdPage> {
    return this.execute((place) => statements.listIds(place, filter, page));
  }

  count(filter: JobFilter, page: Page): Promise<JobCount> {
    return this.execute((place) => statements.count(place, filter, page));
  }

  jobRuns(publicId: string): Promise<readonly RunView[] | undefined> {
    return this.execute((place) => statements.jobRuns(place, publicId));
  }

  move(event: ClientEvent, publicId: string, redrives?: number): Promise<Moved> {
    return this.execute((place) => statements.move(place, event, publicId, redrives));
  }

  moveAll(event: ClientEvent, publicIds: readonly string[], waitMs?: number): Promise<readonly Moved[]> {
    return this.execute(async (place) => {
      const outcomes: Moved[] = [];
      for (const publicId of publicIds) outcomes.push(await statements.move(place, event, publicId));
      return outcomes;
    }, waitMs);
  }

  update(publicId: string, change: JobUpdate, waitMs?: number): Promise<Updated> {
    return this.execute((place) => statements.update(place, publicId, change, waitMs !== undefined), waitMs);
  }

  notify(wakeUps: readonly WakeUp[]): Promise<void> {
    return this.execute((place) => statements.notify(place, wakeUps));
  }

  setLimit(name: string, numbers: LimitNumbers | null, by: string): Promise<void> {
    return this.execute((place) => statements.setLimit(place, name, numbers, by));
  }

  limits(): Promise<readonly LimitSetting[]> {
    return this.execute(statements.limits);
  }

  pause(pause: NewPause, mode?: PauseMode): Promise<void> {
    return this.execute((place) => statements.pause(place, pause, mode));
  }

  resume(target: PauseTarget): Promise<void> {
    return this.execute((place) => statements.resume(place, target));
  }

  pauses(): Promise<readonly PauseView[]> {
    return this.execute(statements.pauses);
  }

  workers(): Promise<readonly WorkerView[]> {
    return this.execute(statements.workers);
  }

  /** @param waitMs How long the statement may wait for a lock. Default: for ever. */
  protected execute<Result>(
    statement: (place: statements.Place) => Result | Promise<Result>,
    waitMs?: number,
  ): Promise<Result> {
    return this.on.run((tx) => {
      const run = (): Result | Promise<Result> => statement({ database: this.db, tx });
      return waitMs === undefined ? run() : tx.waitingAtMost(waitMs, run);
    });
  }
}
