import type { Clock } from '../../clock.js';
import type { AnyHandler } from '../../handler/handler.js';
import type { Registry } from '../../handler/registry.js';
import type { Job } from '../../job/job.js';
import { TimedMutex } from '../time/mutex.js';

/** The most jobs that one transaction takes of a handler that did not ask for it. */
const MOST = 500;

/** So long may the handlers of one transaction take together, by what they took before, in milliseconds. */
const TOGETHER_MS = 10;

/** A run that takes longer has something to wait for, which others should not wait for with it, in milliseconds. */
const SLOW_MS = 10;

/** So many runs in a row must have been quick and without the transaction until they are taken together. */
const PROOFS = 50;

/** A look that has been going on for so long no longer keeps others from theirs, in milliseconds: its connection may be dead. */
const HANGS_MS = 200;

/** A slot's look for work. */
export interface Search {
  /** How many jobs it may claim. */
  readonly limit: number;
  /** Whether it goes past one that hangs: what it finds says little of the queue. */
  readonly isPast: boolean;
  /** It has what it has: others may look. May be called twice. */
  end(): void;
}

/** For one job no slot waits. */
export const ONE_JOB: Search = { limit: 1, isPast: false, end() {} };

/** How a handler's runs have been lately. */
class Habit {
  #proofs = 0;
  #averageMs = 0;

  ran(tookMs: number, hasUsedTransaction: boolean): void {
    this.#averageMs += (tookMs - this.#averageMs) / 16;
    this.#proofs = hasUsedTransaction || tookMs > SLOW_MS ? 0 : this.#proofs + 1;
  }

  /** How many of its runs may share a transaction. */
  get most(): number {
    if (this.#proofs < PROOFS || this.#averageMs > 1) return 1;
    return Math.max(1, Math.min(MOST, Math.floor(TOGETHER_MS / this.#averageMs)));
  }
}

/**
 * How many jobs of a queue one transaction takes: as many as the handlers allow, and as the queue lately had. From one on it
 * doubles as long as a claim finds as many as it may, so that a short queue is shared by the slots, and falls to what was found.
 */
export class BatchSizes<Tx> {
  readonly #registry: Registry<Tx>;
  readonly #clock: Clock;
  readonly #sizes = new Map<string, number>();
  readonly #turns = new Map<string, TimedMutex>();
  readonly #habits = new Map<string, Habit>();

  constructor(registry: Registry<Tx>, clock: Clock) {
    this.#registry = registry;
    this.#clock = clock;
  }

  /**
   * How many jobs the next claim may take. Where it is more than one, the slots of a process look one after the other: jobs of
   * one key that two of them had each some of would go to neither. Past a slot that hangs they claim one job each.
   *
   * @param most After a claim that took jobs which cannot share a transaction: how many of them can.
   */
  async search(queue: string, most = Number.POSITIVE_INFINITY): Promise<Search> {
    const limit = (): number => Math.min(this.next(queue), most);
    if (limit() === 1) return ONE_JOB;
    const end = await this.#turn(queue).take();
    if (end === null) return { limit: 1, isPast: true, end() {} };
    return { limit: limit(), isPast: false, end };
  }

  /** A claim of up to `limit` jobs has found so many that can be run together. */
  found(queue: string, limit: number, jobs: number): void {
    this.#sizes.set(queue, jobs < limit ? Math.max(1, jobs) : limit * 2);
  }

  /** The next job has to be taken by itself. */
  reset(queue: string): void {
    this.#sizes.set(queue, 1);
  }

  /** How many of these, from the first one on, may share a transaction: at least one, if there are any. */
  batchable(jobs: readonly Job[]): number {
    if (jobs.length <= 1) return jobs.length;
    const apart = jobs.findIndex((job) => !this.isBatchable(job));
    return apart < 0 ? jobs.length : Math.max(1, apart);
  }

  /** A run has ended. */
  ran({ kind }: AnyHandler<Tx>, tookMs: number, hasUsedTransaction: boolean): void {
    this.#habit(kind).ran(tookMs, hasUsedTransaction);
  }

  /** Whether a job may share its transaction with others. One that has crashed a process would take them with it again. */
  isBatchable({ kind, crashes }: Job): boolean {
    const handler = this.#registry.find(kind);
    return crashes === 0 && handler !== undefined && this.#most(handler) > 1;
  }

  /** How many jobs of the queue the next claim may take. */
  next(queue: string): number {
    return Math.min(this.#sizes.get(queue) ?? 1, this.#mostOf(queue));
  }

  #turn(queue: string): TimedMutex {
    const turn = this.#turns.get(queue) ?? new TimedMutex(this.#clock, HANGS_MS);
    this.#turns.set(queue, turn);
    return turn;
  }

  #mostOf(queue: string): number {
    const most = this.#registry.handlersOf(queue).map((handler) => this.#most(handler));
    return Math.max(1, ...most);
  }

  #most(handler: AnyHandler<Tx>): number {
    if (handler.claim === 'lease') return 1;
    if (handler.batch !== 'auto') return handler.batch;
    return handler.groupMax > 1 ? 1 : this.#habit(handler.kind).most;
  }

  #habit(kind: string): Habit {
    const habit = this.#habits.get(kind) ?? new Habit();
    this.#habits.set(kind, habit);
    return habit;
  }
}
