/** Claim, check and group: from the next jobs beyond the line to the runs that may begin. */

import type { ClaimCriteria, ClaimSession, Finished } from '../../driver/claim-session.js';
import { isDriverError } from '../../driver/driver-error.js';
import type { Job } from '../../job/job.js';
import { NO_LIMITS } from '../../job/limits-text.js';
import type { Start, Sweep } from '../look/sweep.js';
import { limitMs } from '../run/time-limits.js';
import { ONE_JOB, type Search } from './batch-sizes.js';
import type { Flow } from './context.js';
import { type Claim, claimOf, lockGroups } from './group.js';

/** The most busy keys that a claim excludes. A job of another busy key is claimed and let go. */
const BUSY_KEYS = 1_000;

interface ClaimAhead {
  readonly jobs: Promise<readonly Job[]>;
  readonly began: number;
}

/**
 * The claims of one slot's sweep, on one connection. Ids become visible out of order, and jobs come back behind the
 * line. So under lasting load a sweep ends when its time is over, and the slot sweeps again.
 */
export class Claims<Tx> {
  readonly session: ClaimSession<Tx>;
  readonly #flow: Flow<Tx>;
  readonly #pass: Sweep;
  /** The entities that this slot has. */
  readonly #taken = new Set<string>();
  /** What was taken for the next run, and no run has used yet. */
  #start: Start | null = null;
  #search: Search = ONE_JOB;
  #ahead: ClaimAhead | null = null;
  #began = 0;
  /** How many jobs can share a transaction, if the last claim took jobs that cannot. */
  #most: number | undefined;
  /** Whether jobs of the last claim were run. */
  #worked = false;

  constructor(flow: Flow<Tx>, pass: Sweep) {
    this.#flow = flow;
    this.#pass = pass;
    this.session = flow.driver.claims.session({ idleLimitMs: limitMs(flow.registry.longestHeldRunMs) });
  }

  /** The next runs, under this connection's locks. Null when the sweep is over. */
  async next(): Promise<Claim<Tx> | null> {
    try {
      for (;;) {
        const jobs = await this.#claim();
        if (jobs === null) return null;
        const grouped = await this.#group(jobs);
        if (grouped === 'end') return null;
        if (grouped !== 'blocked') {
          this.#start = null;
          return grouped;
        }
        await this.session.rollback();
        this.#letGo();
      }
    } catch (error) {
      if (!isDriverError(error, 'LimitReached')) throw error;
      this.#pass.end = 'limit reached';
      return null;
    }
  }

  /**
   * The criteria of the claim to send right behind a settlement. Undefined if there is none, or if it must wait for
   * other slots, or for a start of a limit.
   */
  behind(): ClaimCriteria | undefined {
    this.#works();
    if (!this.#goesOn || this.#takesMany || this.#pass.takeStart !== undefined) return undefined;
    this.#pass.catchUp(false);
    this.#began = this.#flow.clock.now();
    return this.#criteria(1);
  }

  settled(next: Finished['next']): void {
    if (next !== null) this.#ahead = { jobs: next, began: this.#began };
  }

  turned(): void {
    this.#letGo();
    this.#works();
  }

  #works(): void {
    this.#worked = true;
    this.#pass.worked = true;
  }

  /** Whether the next claim may take several jobs. Jobs with limits are claimed one by one, each with its slots. */
  get #takesMany(): boolean {
    const { limits, queue } = this.#pass;
    return limits === NO_LIMITS && this.#flow.sizes.next(queue) > 1;
  }

  #letGo(): void {
    for (const entity of this.#taken) this.#flow.taken.delete(entity);
    this.#taken.clear();
    this.#search.end();
  }

  async end(): Promise<void> {
    this.#letGo();
    await this.session.rollback();
    await this.#start?.giveBack();
  }

  /** Takes what a run needs, unless it is in hand. If there is none, the sweep is over. */
  async #mayStart(): Promise<boolean> {
    const { takeStart } = this.#pass;
    if (takeStart === undefined) return true;
    this.#start ??= await takeStart();
    if (this.#start === null) this.#pass.end = 'no start';
    return this.#start !== null;
  }

  /** SKIP LOCKED: the first due jobs beyond the line, without those of entities that this process has. */
  async #claim(): Promise<readonly Job[] | null> {
    const ahead = this.#ahead;
    this.#ahead = null;
    this.#search = ONE_JOB;
    if (ahead === null && !this.#goesOn) return this.#leaveOff();
    this.#worked = false;
    if (ahead !== null) return this.#claimed(await ahead.jobs, ahead.began);
    if (!this.#pass.slotsFirst && !(await this.#mayStart())) return null;
    const { sizes, clock } = this.#flow;
    if (this.#pass.limits === NO_LIMITS) this.#search = await sizes.search(this.#pass.queue, this.#most);
    this.#pass.catchUp(this.#most !== undefined);
    this.#most = undefined;
    const began = clock.now();
    return this.#claimed(await this.session.claim(this.#criteria(this.#search.limit)), began);
  }

  #claimed(jobs: readonly Job[], began: number): readonly Job[] {
    const { sizes, clock } = this.#flow;
    const now = clock.now();
    this.#pass.claimed(jobs.at(-1), now - began, now);
    const { limit, isPast } = this.#search;
    if (!isPast && this.#pass.limits === NO_LIMITS)
      sizes.found(this.#pass.queue, limit, sizes.batchable(jobs));
    return jobs;
  }

  get #goesOn(): boolean {
    const { stopping, clock } = this.#flow;
    return !this.#isAnswered && !stopping.aborted && clock.now() < this.#pass.until;
  }

  /** Whether another slot looks for all that this slot could still find. */
  get #isAnswered(): boolean {
    // A slot of a limit is best used by who has it.
    if (this.#pass.limits !== NO_LIMITS) return false;
    return this.#worked && this.#pass.isAtFront && this.#flow.answered();
  }

  #leaveOff(): null {
    if (this.#isAnswered) this.#pass.end = 'early';
    else this.#pass.timeOut(this.#flow.clock.now());
    return null;
  }

  #criteria(limit: number): ClaimCriteria {
    const { registry, taken } = this.#flow;
    const { queue, limits, line, busy } = this.#pass;
    const prefix = `${queue}\n`;
    // What this slot has is free again when the claim is made.
    const others = [...taken].filter((entity) => entity.startsWith(prefix) && !this.#taken.has(entity));
    const keys = [...busy, ...others.map((entity) => entity.slice(prefix.length))].slice(0, BUSY_KEYS);
    return { queue, limits, line, kinds: registry.kinds, busy: keys, limit };
  }

  /** Checks and groups the claimed jobs. No job stays locked that is not run. */
  async #group(jobs: readonly Job[]): Promise<Claim<Tx> | 'blocked' | 'end'> {
    const last = jobs.at(-1);
    if (last === undefined) return 'end';
    const batchable = this.#flow.sizes.batchable(jobs);
    if (batchable < jobs.length) return this.#split(jobs, batchable);
    const { clock, stopping } = this.#flow;
    const began = clock.now();
    const chains = await lockGroups(this.#flow, this.session, this.#pass, jobs, this.#taken);
    if (chains === 'one by one') {
      this.#flow.sizes.reset(this.#pass.queue);
      return this.#split(jobs, 1);
    }
    const claim = claimOf(this.session, chains);
    if (claim !== undefined && !(await this.#mayStart())) return 'end';
    this.#pass.moveLine(last);
    this.#flow.parts.reached(last);
    if (claim === undefined) {
      this.#pass.blocked(clock.now() - began);
      return 'blocked';
    }
    this.#pass.found(jobs, clock.now());
    // The worker may have stopped its runs while this claim was on its way.
    if (stopping.aborted) return 'end';
    this.#search.end();
    return claim;
  }

  /**
   * Claims jobs that cannot share a transaction again, fewer at a time. Otherwise the jobs that are not run stay locked
   * to the end of the transaction.
   */
  #split(jobs: readonly Job[], most: number): 'blocked' {
    this.#pass.letGo(jobs);
    this.#most = most;
    return 'blocked';
  }
}
