import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, LONGEST_TIMER_MS } from '../clock.js';
import { isDriverError } from '../driver/driver-error.js';
import { type Duration, milliseconds } from '../duration.js';
import { ClosedError, InvalidInputError, JobNotFoundError, NotSettledError } from '../errors.js';
import type { JobView } from '../job/job.js';
import { isSettled } from '../job/lifecycle.js';
import { checkOptions } from '../known-options.js';
import type { LocalWorkers } from './local-workers.js';
import type { SharedStore } from './shared-store.js';

/** How long the next look is put off at least and at most, in milliseconds, and as a part of the time since the last call. */
const LEAST_MS = 25;
const MOST_MS = 1_000;
const PART = 1 / 4;

/** The most jobs that one look is for. */
const MOST_JOBS = 1_000;

export interface SettledOptions {
  /** The longest time to wait. Beyond 24 days it is these. Default: for ever. */
  readonly timeout?: Duration;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

export interface SettledJobsParts {
  readonly shared: Pick<SharedStore, 'states' | 'find'>;
  readonly here: Pick<LocalWorkers, 'whenSettled'>;
  readonly clock: Clock;
}

interface Waiter {
  readonly resolve: (job: JobView) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Those in this process who wait for the end of jobs. All share one statement. The longer they wait, the rarer the looks
 * are. Workers of the process tell of their jobs at once.
 */
export class SettledJobs {
  readonly #parts: SettledJobsParts;
  readonly #waiting = new Map<string, Set<Waiter>>();
  #wake = new AbortController();
  #newestAt = 0;
  #isLooking = false;

  constructor(parts: SettledJobsParts) {
    this.#parts = parts;
  }

  /**
   * @throws JobNotFoundError, NotSettledError when the time is over; InvalidInputError; the `signal`'s reason; DriverError
   */
  async wait(publicId: string, options: SettledOptions = {}): Promise<JobView> {
    if (Object.hasOwn(Object(options), 'tx'))
      throw new InvalidInputError(
        'settled() takes no transaction: a job that is not committed does not run. Wait after the commit.',
      );
    checkOptions('settled()', options, ['timeout', 'signal'] satisfies (keyof SettledOptions)[]);
    const { timeout, signal } = options;
    const timeoutMs = timeout === undefined ? undefined : milliseconds(timeout, 'timeout');
    signal?.throwIfAborted();
    const end = new AbortController();
    try {
      return await new Promise<JobView>((resolve, reject) => {
        this.#add(publicId, { resolve, reject }, end.signal);
        signal?.addEventListener('abort', () => reject(signal.reason), { signal: end.signal });
        if (timeoutMs === undefined) return;
        const over = (): void => reject(new NotSettledError(publicId, timeoutMs));
        sleep(Math.min(timeoutMs, LONGEST_TIMER_MS), undefined, { signal: end.signal }).then(over, () => {});
      });
    } finally {
      end.abort();
    }
  }

  /** Ends all waits. */
  close(): void {
    for (const waiter of [...this.#waiting.values()].flatMap((waiters) => [...waiters]))
      waiter.reject(new ClosedError());
  }

  #add(publicId: string, waiter: Waiter, ended: AbortSignal): void {
    const waiters = this.#waiting.get(publicId) ?? new Set();
    this.#waiting.set(publicId, waiters.add(waiter));
    ended.addEventListener('abort', () => {
      waiters.delete(waiter);
      if (waiters.size > 0 || this.#waiting.get(publicId) !== waiters) return;
      this.#waiting.delete(publicId);
      if (this.#waiting.size === 0) this.#wake.abort();
    });
    this.#newestAt = this.#parts.clock.now();
    this.#wake.abort();
    if (!this.#isLooking) void this.#lookOn();
  }

  /** Looks as long as somebody waits. */
  async #lookOn(): Promise<void> {
    this.#isLooking = true;
    const endHere = this.#parts.here.whenSettled((publicIds) => {
      for (const publicId of publicIds) if (this.#waiting.has(publicId)) return this.#wake.abort();
    });
    while (this.#waiting.size > 0) {
      this.#wake = new AbortController();
      const { signal } = this.#wake;
      const ids = [...this.#waiting.keys()];
      for (let from = 0; from < ids.length; from += MOST_JOBS)
        await this.#look(ids.slice(from, from + MOST_JOBS));
      const ageMs = this.#parts.clock.now() - this.#newestAt;
      const pauseMs = Math.min(MOST_MS, Math.max(LEAST_MS, ageMs * PART));
      if (this.#waiting.size > 0) await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
    endHere();
    this.#isLooking = false;
  }

  /** Tells those who wait for one of these jobs. A lost connection is none of their business. */
  async #look(ids: readonly string[]): Promise<void> {
    try {
      const states = await this.#parts.shared.states(ids);
      for (const id of ids) {
        const state = states.get(id);
        if (state === undefined) this.#answer(id, ({ reject }) => reject(new JobNotFoundError(id)));
        else if (isSettled(state)) await this.#answerIfSettled(id);
      }
    } catch (error) {
      if (isDriverError(error, 'ConnectionLost') || isDriverError(error, 'OutOfResources')) return;
      for (const id of ids) this.#answer(id, ({ reject }) => reject(error));
    }
  }

  /** A job that was redriven meanwhile is waited for again. */
  async #answerIfSettled(id: string): Promise<void> {
    const job = await this.#parts.shared.find(id);
    if (job !== undefined && isSettled(job.status)) this.#answer(id, ({ resolve }) => resolve(job));
  }

  #answer(id: string, answer: (waiter: Waiter) => void): void {
    for (const waiter of this.#waiting.get(id) ?? []) answer(waiter);
    this.#waiting.delete(id);
  }
}
