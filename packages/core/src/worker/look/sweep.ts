import type { Line } from '../../driver/claim-session.js';
import type { Job } from '../../job/job.js';
import { NO_LIMITS } from '../../job/limits-text.js';
import { furthestOf, isBefore, type LookBack, type ScanPosition, START } from './scan-position.js';

/**
 * How a sweep has ended. `early`: another slot looks for the next job. `limit reached`: no slot of a limit was free.
 * `no start`: `takeStart` had none.
 */
type End = 'at the last job' | 'early' | 'timed out' | 'limit reached' | 'no start';

/** The jobs to pass through: a queue's without limits, or a part of it. */
export interface Stretch {
  readonly queue: string;
  /** The text of the jobs' limits. Default: none. */
  readonly limits?: string;
  /** How long the sweep may go on, in milliseconds. */
  readonly forMs?: number;
  /** Takes what a run of these jobs needs before its claim. Null: there is none now. Default: a run needs nothing. */
  readonly takeStart?: TakeStart | undefined;
  /** Whether a claim, with its slots, goes before `takeStart`. Default: it comes after that. */
  readonly slotsFirst?: boolean;
}

export type TakeStart = () => Promise<Start | null>;

export interface Start {
  /** Gives it back, as no run has used it. Never rejects. */
  giveBack(): Promise<void>;
}

/**
 * How long a sweep may go on before it starts again from the first job, in milliseconds. An urgent job waits this long
 * behind a backlog.
 */
export const SWEEP_MS = 500;

/** One pass through a queue, or through a part of one, in the order of priority and id. */
export class Sweep {
  readonly #position: ScanPosition;
  /** Whether it began at the first job, and so comes to all jobs. */
  readonly looksBack: boolean;
  /** Until it comes to a job to run. */
  #lookBack: LookBack | null;
  /** The line in the sand: the last place this sweep has come to. */
  line: Line;
  /** Keys found busy: for the rest of this sweep their jobs are passed over. */
  readonly busy = new Set<string>();
  worked = false;
  skipped = false;
  end: End = 'at the last job';
  /** Why the next claim is to begin at the line: more jobs of a key may follow there, or more jobs behind the position. */
  #staysAt: 'key' | 'behind' | null = null;
  /** A claim that comes to a job before this line has found it behind the position, or among the jobs that were let go. */
  #front: Line;
  /** Jobs that this sweep has let go may lie before this line. */
  #letGo = START;

  readonly queue: string;
  readonly limits: string;
  readonly takeStart: TakeStart | undefined;
  readonly slotsFirst: boolean;
  readonly until: number;

  constructor(
    { queue, limits = NO_LIMITS, forMs = SWEEP_MS, takeStart, slotsFirst = false }: Stretch,
    position: ScanPosition,
    now: number,
  ) {
    this.queue = queue;
    this.limits = limits;
    this.takeStart = takeStart;
    this.slotsFirst = slotsFirst;
    this.until = now + forMs;
    this.#position = position;
    this.#lookBack = position.lookBack(now);
    this.#front = position.line;
    this.line = this.#lookBack?.line ?? this.#front;
    // A look that is continued has met busy keys, and their jobs may be free behind it by now.
    this.looksBack = this.#lookBack?.line === START;
  }

  /**
   * Before a claim: moves the line to the scan position. So this slot does not pass over the jobs that others have now.
   * Otherwise the rate was a tenth lower with 24 slots on Postgres. With four slots and batches on MySQL, two claims in
   * five were in vain.
   *
   * @param again The last claim has let go its jobs, and this one is to claim them again.
   */
  catchUp(again = false): void {
    this.#front = furthestOf(this.#position.line, this.#letGo);
    const stays = again || !this.isAtFront;
    if (!stays) this.line = furthestOf(this.line, this.#position.line);
  }

  /**
   * A claim took this long.
   *
   * @param last The last job that it has come to; undefined if there is none.
   */
  claimed(last: Job | undefined, tookMs: number, now: number): void {
    if (this.#lookBack !== null) this.#lookBack.tookMs += tookMs;
    else if (this.#staysAt === 'behind') this.#position.claimedBehind(tookMs, now);
    if (last === undefined) this.#endLookBack(undefined, now);
  }

  /**
   * The check that found all claimed jobs blocked took this long. For a key with very many jobs it takes longer than
   * the claim.
   */
  blocked(tookMs: number): void {
    if (this.#lookBack !== null) this.#lookBack.tookMs += tookMs;
  }

  /** Some of the claimed jobs are run. */
  found(jobs: readonly Job[], now: number): void {
    const last = lineOf(jobs);
    this.#endLookBack(last, now);
    if (last !== undefined && isBefore(last, this.#front)) this.#staysAt = 'behind';
    else this.#staysAt = jobs.some(({ key }) => key !== null) ? 'key' : null;
  }

  /** A claim has let go its jobs. Other slots may have passed over these jobs meanwhile. */
  letGo(jobs: readonly Job[]): void {
    this.#letGo = furthestOf(this.#letGo, lineOf(jobs) ?? START);
  }

  moveLine(job: Job): void {
    this.line = { priority: job.priority, id: job.id };
    if (this.#lookBack === null) this.#position.advance(this.line);
  }

  /** Whether other slots come to the next job too. */
  get isAtFront(): boolean {
    return this.#lookBack === null && this.#staysAt === null;
  }

  /** Another worker or slot has the job's key. */
  skip({ key }: Job): void {
    this.skipped = true;
    if (key !== null) this.busy.add(key);
  }

  /** The sweep's time is over before its end. A look back is continued later. */
  timeOut(now: number): void {
    this.end = 'timed out';
    if (this.#lookBack === null || this.line === START) return;
    this.#position.interrupt(this.#lookBack, this.line, now);
    this.#lookBack = null;
  }

  close(now: number): void {
    if (this.#lookBack !== null) this.#position.fail(this.#lookBack, now);
    this.#lookBack = null;
  }

  #endLookBack(found: Line | undefined, now: number): void {
    if (this.#lookBack !== null) this.#position.found(this.#lookBack, found, now);
    this.#lookBack = null;
  }
}

function lineOf(jobs: readonly Job[]): Line | undefined {
  const last = jobs.at(-1);
  return last && { priority: last.priority, id: last.id };
}
