import type { Clock } from '../../clock.js';
import type { Registry } from '../../handler/registry.js';
import { HANGS_MS } from '../../hangs.js';
import type { Job } from '../../job/job.js';
import type { RefusedJobs } from '../refused-jobs.js';
import { TimedMutex } from '../time/mutex.js';

/** A slot's look for work. */
export interface Search {
  readonly limit: number;
  /** Whether it does not wait for a look that hangs. The number of jobs that it finds then says little about the queue. */
  readonly isPast: boolean;
  /** The look is over: others may look. May be called twice. */
  end(): void;
}

/** A look for one job. No slot waits for it. */
export const ONE_JOB: Search = { limit: 1, isPast: false, end() {} };

/**
 * How many jobs of a queue one transaction takes. The limit is what the handlers allow and how many jobs the queue
 * lately had. The number begins at one, and doubles while each claim finds as many jobs as it may take. Otherwise it
 * falls to the number that was found. So the slots share a short queue.
 */
export class BatchSizes<Tx> {
  readonly #registry: Registry<Tx>;
  readonly #clock: Clock;
  readonly #refused: Pick<RefusedJobs, 'hasFailed'>;
  readonly #sizes = new Map<string, number>();
  readonly #turns = new Map<string, TimedMutex>();
  readonly #most: ReadonlyMap<string, number>;

  constructor(registry: Registry<Tx>, clock: Clock, refused: Pick<RefusedJobs, 'hasFailed'>) {
    this.#registry = registry;
    this.#clock = clock;
    this.#refused = refused;
    this.#most = new Map(
      registry.queues.map((queue) => [
        queue,
        Math.max(...registry.handlersOf(queue).map(({ batch }) => batch)),
      ]),
    );
  }

  /**
   * How many jobs the next claim may take. If more than one, the slots of a process look one after the other. Otherwise
   * two slots could each lock some jobs of one key, and neither could run them. Slots do not wait for a look that
   * hangs: each claims one job.
   *
   * @param most How many jobs can share a transaction, if the last claim took jobs that cannot.
   */
  async search(queue: string, most = Number.POSITIVE_INFINITY): Promise<Search> {
    const limit = (): number => Math.min(this.next(queue), most);
    if (limit() === 1) return ONE_JOB;
    const end = await this.#turn(queue).take();
    if (end === null) return { limit: 1, isPast: true, end() {} };
    return { limit: limit(), isPast: false, end };
  }

  /** A claim of up to `limit` jobs has found `jobs` that can run together. */
  found(queue: string, limit: number, jobs: number): void {
    this.#sizes.set(queue, jobs < limit ? Math.max(1, jobs) : limit * 2);
  }

  reset(queue: string): void {
    this.#sizes.set(queue, 1);
  }

  /** How many of these jobs, from the first one on, may share a transaction. At least one, if there are any. */
  batchable(jobs: readonly Job[]): number {
    if (jobs.length <= 1) return jobs.length;
    const first = jobs.findIndex((job) => !this.isBatchable(job));
    return first < 0 ? jobs.length : Math.max(1, first);
  }

  /**
   * Whether a job may share its transaction with others. A job that has crashed a process, or whose settlement was refused,
   * may not: a second crash or refusal would undo the others. Where several keys share a run, neither may one that was
   * attempted before: if it fails, so does the run.
   */
  isBatchable({ publicId, kind, attempt, crashes }: Job): boolean {
    const handler = this.#registry.find(kind);
    if (crashes > 0 || handler === undefined || this.#refused.hasFailed(publicId)) return false;
    return handler.batch > 1 && (handler.groupKeys === 1 || attempt === 0);
  }

  /** How many jobs of the queue the next claim may take. */
  next(queue: string): number {
    return Math.min(this.#sizes.get(queue) ?? 1, this.#most.get(queue) ?? 1);
  }

  #turn(queue: string): TimedMutex {
    const turn = this.#turns.get(queue) ?? new TimedMutex(this.#clock, HANGS_MS.statement);
    this.#turns.set(queue, turn);
    return turn;
  }
}
