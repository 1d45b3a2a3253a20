import type { Uses } from '../driver/driver.js';
import type { QueuePart } from '../driver/queue-parts.js';
import type { Survey } from '../driver/survey.js';
import { isHint, type WakeUp } from '../driver/wake-up.js';
import { ratesOf, sizesOf } from '../job/limits-text.js';
import type { ScanPosition } from '../worker/look/scan-position.js';
import { SWEEP_MS, Sweep, type TakeStart } from '../worker/look/sweep.js';
import type { SweepSource } from '../worker/look/sweep-source.js';
import type { Part, PartContext } from '../worker/part.js';
import { ClosedParts, VAIN_CLAIMS } from './closed-parts.js';
import { DueParts } from './due-parts.js';
import { fullLimits } from './full-limits.js';
import type { PartLook } from './next-parts.js';
import { PartTurns } from './part-turns.js';
import type { RatedStarts } from './rated-starts.js';

/** How long the sweep of a part may go on at least, in milliseconds. */
const LEAST_MS = 10;

export interface LimitedJobsParts
  extends Pick<PartContext, 'queues' | 'hasLimits' | 'clock' | 'alarm' | 'wake' | 'watchMs' | 'pollMs'> {
  readonly driver: Uses<{ admission: 'parts' | 'limits' }>;
  readonly starts: Pick<RatedStarts, 'leftMs' | 'take' | 'changed'>;
}

/**
 * The jobs with limits in the queues of one worker. Those of a queue that have the same limits are a part of it, with
 * sweeps of their own. So a part whose limit is reached costs the other jobs of its queue nothing, however many it has.
 */
export class LimitedJobs implements Part, SweepSource {
  readonly #parts: LimitedJobsParts;
  readonly #due: DueParts;
  readonly #closed: ClosedParts;
  readonly #turns: PartTurns;
  #isExpected: boolean;

  constructor(parts: LimitedJobsParts) {
    this.#parts = parts;
    this.#due = new DueParts(parts);
    this.#closed = new ClosedParts(parts);
    this.#turns = new PartTurns(parts.pollMs);
    this.#isExpected = parts.hasLimits;
  }

  get sweeps(): SweepSource {
    return this;
  }

  get isExpected(): boolean {
    return this.#isExpected;
  }

  get isWaiting(): boolean {
    const { starts } = this.#parts;
    const all = [...(this.#due.all ?? [])];
    return all.length > 0 && all.every((limits) => starts.leftMs(limits) > 0);
  }

  surveyed({ limited, promoted }: Pick<Survey, 'limited' | 'promoted'>): void {
    if (promoted > 0) this.#due.looksAnew();
    if (!limited || this.#isExpected) return;
    this.#isExpected = true;
    this.#parts.wake();
  }

  wakeUp(wakeUp: WakeUp): void {
    const { starts, wake } = this.#parts;
    if (isHint(wakeUp)) {
      this.#due.looksAnew();
      this.#closed.added(wakeUp.queue);
    } else if ('limit' in wakeUp) {
      const changes = [starts.changed(wakeUp.limit), this.#freed([wakeUp.limit])];
      if (changes.includes(true)) wake();
    }
  }

  /** Sweeps each part that has due jobs, for as long as one sweep may take. The next round goes on from there. */
  async round(sweep: (pass: Sweep) => Promise<unknown>, sweeps: Sweep[]): Promise<void> {
    const { clock } = this.#parts;
    const since = this.#turns.count;
    const look = await this.#due.look();
    if (look.isAnew) this.#turns.keep(look.parts);
    const open = await this.#open(look);
    const until = clock.now() + SWEEP_MS;
    const roomy = open.filter(({ limits }) => this.#closed.hasRoom(limits)).length;
    for (const part of open) {
      // The rest is for the next round.
      if (clock.now() >= until) return this.#goesOn();
      // Another slot may have found it so meanwhile. Of very many parts, each slot is to come to others.
      const isSwept = !look.isWhole && this.#turns.hasBegunSince(part, since);
      if (isSwept || !this.#closed.isOpen(part)) continue;
      look.reached(part);
      // A sweep that finds its limit reached is short, and leaves its time to the others.
      const forMs = SWEEP_MS / (this.#closed.hasRoom(part.limits) ? roomy : open.length);
      await this.#sweep(part, Math.max(LEAST_MS, forMs), sweep, sweeps);
    }
    if (look.end()) this.#goesOn();
    this.#closed.ring();
  }

  /** The next round looks at the parts that this one has not come to. */
  #goesOn(): void {
    this.#due.looksAnew();
    this.#parts.wake();
  }

  /** Those to sweep. Where those that are not known to have room are many, it is looked up which of them have none. */
  async #open({ parts, isWhole }: PartLook): Promise<readonly QueuePart[]> {
    await this.#lookUp(this.#closed.toLookUp(parts));
    const found = this.#closed.open(parts);
    const open = isWhole ? this.#turns.byLastTurn(found) : found;
    const texts = new Set(open.map(({ limits }) => limits).filter((limits) => !this.#closed.hasRoom(limits)));
    if (texts.size <= VAIN_CLAIMS) return open;
    await this.#lookUp([...texts]);
    return open.filter((part) => this.#closed.isOpen(part));
  }

  async #lookUp(texts: readonly string[]): Promise<void> {
    const full = await fullLimits(this.#parts.driver, texts);
    for (const limits of texts) this.#closed.reopen(limits);
    this.#closed.full(full);
  }

  async #sweep(
    { queue, limits }: QueuePart,
    forMs: number,
    sweep: (pass: Sweep) => Promise<unknown>,
    sweeps: Sweep[],
  ): Promise<void> {
    const position = this.#turns.begin({ queue, limits });
    // Otherwise all others would wait for a start that is taken in vain.
    const slotsFirst = !this.#closed.hasRoom(limits);
    const takeStart = this.#takeStart(limits, slotsFirst);
    const stretch = { queue, limits, forMs, takeStart, slotsFirst };
    const pass = new Sweep(stretch, position, this.#parts.clock.now());
    try {
      await sweep(pass);
      sweeps.push(pass);
    } finally {
      this.#left(pass, position);
    }
  }

  /** Where slots come first, one slot of this worker tries whether there are any. The others leave the part alone until then. */
  #takeStart(limits: string, slotsFirst: boolean): TakeStart | undefined {
    const { starts } = this.#parts;
    if (ratesOf(limits).length === 0) return undefined;
    if (!slotsFirst) return () => starts.take(limits);
    this.#closed.full([limits]);
    return () => {
      this.#closed.hadRoom(limits, true);
      this.#closed.reopen(limits);
      return starts.take(limits);
    };
  }

  #left(pass: Sweep, position: ScanPosition): void {
    const { queue, limits, worked, end, slotsFirst, takeStart } = pass;
    if (end === 'at the last job') this.#due.finished({ queue, limits });
    if (slotsFirst && takeStart !== undefined) this.#closed.reopen(limits);
    // A start that is taken in vain wakes all who wait for one, and those would take it in vain too.
    const isVain = !worked && takeStart !== undefined && end === 'at the last job';
    const hasNone = isVain || end === 'limit reached';
    if (worked || hasNone) this.#closed.hadRoom(limits, !hasNone);
    this.#leavesAlone(pass, position);
    if (worked) this.#leavesSlots(pass);
  }

  /** Until when no sweep of the part is worthwhile. */
  #leavesAlone({ queue, limits, worked, skipped, end, looksBack }: Sweep, position: ScanPosition): void {
    const { clock, alarm, starts } = this.#parts;
    // Its time may have come meanwhile.
    if (end === 'no start') alarm.within(Math.max(1, starts.leftMs(limits)));
    else if (end === 'limit reached') this.#closed.full([limits]);
    // Jobs may be free that lie before the place where it began.
    else if (!looksBack) alarm.within(position.pauseMs(clock.now()));
    // Each run that begins, of any limits, leads to a look. With many tenants, most parts have running jobs alone.
    else if (!worked && !skipped && end === 'at the last job') this.#closed.taken({ queue, limits });
  }

  /** Other workers look the slots up. When each slot that was left woke them all, most of their claims were in vain. */
  #leavesSlots({ limits, end }: Sweep): void {
    const isFreed = this.#freed(sizesOf(limits).map(({ name }) => name));
    if (isFreed || end === 'timed out') this.#parts.wake();
  }

  /** @returns whether a part was left alone because of one of these limits */
  #freed(names: readonly string[]): boolean {
    const isFreed = this.#closed.freed(names);
    if (isFreed) this.#due.looksAnew();
    return isFreed;
  }
}
