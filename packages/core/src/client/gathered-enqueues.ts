import type { Clock } from '../clock.js';
import type { Enqueued, NewJob } from '../job/job.js';
import { GatheredCalls, type Send } from './gathered-calls.js';

/** A call with more jobs gets a statement of its own. */
const FEW = 50;

/** The most jobs of one statement that several calls share. */
const MOST = 500;

/** The same of jobs with a unique key. A statement that is divided makes fewer of them wait. */
const MOST_UNIQUE = 100;

/**
 * Gathers enqueues. A job with a unique key may wait for another transaction that has the key. So it shares no
 * statement with jobs that have none. A call with several unique keys has a statement of its own, in its own order.
 * So has a call with jobs that wait for others.
 */
export class GatheredEnqueues {
  readonly #write: Send<NewJob, Enqueued>;
  readonly #plain: GatheredCalls<NewJob, Enqueued>;
  readonly #unique: GatheredCalls<NewJob, Enqueued>;

  constructor(write: Send<NewJob, Enqueued>, clock: Clock) {
    this.#write = write;
    this.#plain = new GatheredCalls(write, MOST, clock);
    this.#unique = new GatheredCalls(
      (jobs, isShared) => inOrderOfKeys(jobs, isShared, write),
      MOST_UNIQUE,
      clock,
    );
  }

  /** @throws DriverError */
  enqueue(jobs: readonly NewJob[]): Promise<readonly Enqueued[]> {
    const isUnique = jobs.some(({ unique }) => unique !== null);
    const isFollower = jobs.some(({ after }) => after !== undefined);
    if (isFollower || jobs.length > FEW || (isUnique && jobs.length > 1)) return this.#write(jobs, false);
    return (isUnique ? this.#unique : this.#plain).call(jobs);
  }

  /** Resolves when all gathered jobs so far are written, or refused. */
  async flush(): Promise<void> {
    await Promise.all([this.#plain.flush(), this.#unique.flush()]);
  }
}

/** Two statements that insert keys in the same order do not wait for each other in a circle. */
async function inOrderOfKeys(
  jobs: readonly NewJob[],
  isShared: boolean,
  write: Send<NewJob, Enqueued>,
): Promise<readonly Enqueued[]> {
  const given = jobs.map((job, place) => ({ job, place, key: `${job.kind} ${job.unique?.key}` }));
  given.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : one.place - other.place));
  const written = await write(
    given.map(({ job }) => job),
    isShared,
  );
  const outcomes = new Array<Enqueued>(jobs.length);
  for (const [at, outcome] of written.entries()) outcomes[given[at]?.place ?? at] = outcome;
  return outcomes;
}
