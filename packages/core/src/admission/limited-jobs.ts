import type { Uses } from '../driver/driver.js';
import type { QueuePart } from '../driver/queue-parts.js';
import type { Survey } from '../driver/survey.js';
import { isHint, type WakeUp } from '../driver/wake-up.js';
import { ratesOf, sizesOf } from '../job/limits-text.js';
import { ScanPosition } from '../worker/look/scan-position.js';
import { SWEEP_MS, Sweep, type TakeStart } from '../worker/look/sweep.js';
import type { SweepSource } from '../worker/look/sweep-source.js';
import type { Part, PartContext } from '../worker/part.js';
import { fullLimits } from './full-limits.js';
import { type PartLook, PartPages } from './next-parts.js';
import type { RatedStarts } from './rated-starts.js';

/** How long the sweep of a part may go on at least, in milliseconds. */
const LEAST_MS = 10;

/**
 * How many parts whose limits were reached are looked at again in a watch interval. Of more than so many, those that are
 * still full are left out by one statement, as a claim in vain takes several and meets those of the other workers.
 */
const VAIN_CLAIMS = 10;

/** The most parts that are swept without a look. */
const MOST_LEFT = 1_000;

/** The most texts of limits that are remembered. */
const MOST_TEXTS = 10_000;

export interface LimitedJobsParts
  extends Pick<
    PartContext,
    'queues' | 'hasLimits' | 'clock' | 'alarm' | 'wake' | 'watchMs' | 'pollMs' | 'onFault'
  > {
  readonly driver: Uses<{ admission: 'parts' | 'limits'; workers: 'notify' }>;
  readonly starts: Pick<RatedStarts, 'leftMs' | 'take' | 'changed'>;
}

/**
 * The jobs with limits in the queues of one worker. Those of a queue that have the same limits are a part of it, with
 * sweeps of their own. So a part whose limit is reached costs the other jobs of its queue nothing, however many jobs it
 * has. All slots go round the parts together, each from where the last one began.
 */
export class LimitedJobs implements Part, SweepSource {
  readonly #parts: LimitedJobsParts;
  #isExpected: boolean;
  /** By part, as the last look has found them. */
  #positions = new Map<string, ScanPosition>();
  /** Until when parts are left alone because a limit was reached, by the text of their limits. */
  readonly #reached = new Map<string, number>();
  /** Until when a part is left alone because others have all of its jobs, by part. */
  readonly #busy = new Map<string, number>();
  /**
   * Texts of limits whose last sweep has had slots. Without that a part takes its slots before its starts, as all others
   * would wait for a start that is taken in vain.
   */
  readonly #roomy = new Set<string>();
  readonly #pages: PartPages;
  /**
   * Where there are rates: the parts that the last look has found, by name, without those that were swept to their last
   * job since.
   */
  readonly #unfinished = new Map<string, QueuePart>();
  /** Until when these are swept without another look. */
  #lookAt = Number.NEGATIVE_INFINITY;
  /** Which sweep was the last one of a part, by part. */
  readonly #begun = new Map<string, number>();
  #count = 0;
  #last = '';

  constructor(parts: LimitedJobsParts) {
    this.#parts = parts;
    this.#pages = new PartPages(parts);
    this.#isExpected = parts.hasLimits;
  }

  get sweeps(): SweepSource {
    return this;
  }

  get isExpected(): boolean {
    return this.#isExpected;
  }

  surveyed({ limited, promoted }: Pick<Survey, 'limited' | 'promoted'>): void {
    if (promoted > 0) this.#looksAnew();
    if (!limited || this.#isExpected) return;
    this.#isExpected = true;
    this.#parts.wake();
  }

  wakeUp(wakeUp: WakeUp): void {
    const { starts, wake } = this.#parts;
    if (isHint(wakeUp)) this.#added(wakeUp.queue);
    else if ('limit' in wakeUp) {
      const hasStart = starts.changed(wakeUp.limit);
      const hasSlot = this.#freed([wakeUp.limit]);
      if (hasStart || hasSlot) wake();
    }
  }

  /** Sweeps each part that has due jobs, for as long as one sweep may take. The next round goes on from there. */
  async round(sweep: (pass: Sweep) => Promise<unknown>, sweeps: Sweep[]): Promise<void> {
    const { clock, alarm } = this.#parts;
    const since = this.#count;
    const look = await this.#look();
    const due = await this.#withoutFull(this.#due(look));
    const until = clock.now() + SWEEP_MS;
    const roomy = due.filter(([, { limits }]) => this.#hasRoom(limits)).length;
    for (const [name, { queue, limits }] of due) {
      // The rest is for the next round.
      if (clock.now() >= until) return this.#goesOn();
      // Another slot may have found it so meanwhile. Of very many parts, each slot is to come to others.
      const isTaken = !look.isWhole && (this.#begun.get(name) ?? 0) > since;
      if (isTaken || !this.#isOpen(name, limits)) continue;
      this.#begun.set(name, ++this.#count);
      this.#last = name;
      look.reached({ queue, limits });
      const position = this.#position(name);
      const slotsFirst = !this.#hasRoom(limits);
      // A sweep that finds its limit reached is short, and leaves its time to the others.
      const forMs = Math.max(LEAST_MS, SWEEP_MS / (slotsFirst ? due.length : roomy));
      const pass = new Sweep(
        { queue, limits, forMs, takeStart: this.#takeStart(limits, slotsFirst), slotsFirst },
        position,
        clock.now(),
      );
      try {
        await sweep(pass);
        sweeps.push(pass);
      } finally {
        this.#left(pass, position);
      }
    }
    if (look.end()) this.#goesOn();
    const now = clock.now();
    for (const atMs of this.#reached.values()) alarm.within(Math.max(1, atMs - now));
  }

  get isWaiting(): boolean {
    const { starts } = this.#parts;
    const all = [...(this.#pages.all ?? [])];
    return all.length > 0 && all.every((limits) => starts.leftMs(limits) > 0);
  }

  /** A look takes a step for each part. Where there are rates, it comes once in a watch interval, and not with each start. */
  async #look(): Promise<PartLook> {
    const { clock, watchMs, alarm } = this.#parts;
    const leftMs = this.#lookAt - clock.now();
    if (this.#unfinished.size > 0 && leftMs > 0) {
      alarm.within(leftMs);
      const parts = [...this.#unfinished.values()];
      return { parts, isWhole: true, isFirst: true, reached() {}, end: () => false };
    }
    this.#lookAt = clock.now() + watchMs;
    const look = await this.#pages.look();
    const found = new Map(look.parts.map((part) => [nameOf(part), part]));
    if (look.isFirst || this.#unfinished.size > MOST_LEFT) this.#unfinished.clear();
    if (look.parts.some(({ limits }) => ratesOf(limits).length > 0))
      for (const [name, part] of found) this.#unfinished.set(name, part);
    for (const left of [this.#positions, this.#begun])
      for (const name of left.keys()) if (!found.has(name)) left.delete(name);
    return look;
  }

  /** The next round looks at the parts that this one has not come to. */
  #goesOn(): void {
    this.#looksAnew();
    this.#parts.wake();
  }

  #looksAnew(): void {
    this.#lookAt = Number.NEGATIVE_INFINITY;
  }

  /** Without the parts that are not known to have room, if these are many and have none. */
  async #withoutFull(
    due: readonly (readonly [string, QueuePart])[],
  ): Promise<readonly (readonly [string, QueuePart])[]> {
    const { driver, clock } = this.#parts;
    const texts = new Set(due.map(([, { limits }]) => limits).filter((limits) => !this.#hasRoom(limits)));
    if (texts.size <= VAIN_CLAIMS) return due;
    const full = await fullLimits(driver, [...texts]);
    this.#limitReached(full, clock.now());
    return due.filter(([name, { limits }]) => this.#isOpen(name, limits));
  }

  /** Jobs may have come to these parts. @param queue Default: to any queue. */
  #added(queue?: string): void {
    this.#looksAnew();
    if (queue === undefined) this.#busy.clear();
    else for (const name of this.#busy.keys()) if (name.startsWith(`${queue}\n`)) this.#busy.delete(name);
  }

  /**
   * These limits may have a free slot, or another size.
   *
   * @returns whether a part was left alone because of one of them
   */
  #freed(names: readonly string[]): boolean {
    const texts = [...this.#reached.keys()].filter((text) =>
      sizesOf(text).some(({ name }) => names.includes(name)),
    );
    for (const text of texts) this.#reached.delete(text);
    if (texts.length > 0) this.#looksAnew();
    return texts.length > 0;
  }

  /** The parts that have due jobs, by name, without those whose limits were reached just now, or whose rates are used up. */
  #due({ parts, isWhole }: PartLook): readonly (readonly [string, QueuePart])[] {
    const { clock } = this.#parts;
    const found = new Map(parts.map((part) => [nameOf(part), part]));
    const now = clock.now();
    for (const left of [this.#reached, this.#busy])
      for (const [one, until] of left) if (until <= now) left.delete(one);
    const open = [...found].filter(([name, { limits }]) => this.#isOpen(name, limits));
    return isWhole ? this.#behindLast(open) : open;
  }

  /** All parts, from the one behind the last one on. */
  #behindLast(parts: readonly (readonly [string, QueuePart])[]): readonly (readonly [string, QueuePart])[] {
    const open = parts.toSorted(([one], [other]) => (one < other ? -1 : 1));
    const next = Math.max(
      0,
      open.findIndex(([name]) => name > this.#last),
    );
    return [...open.slice(next), ...open.slice(0, next)];
  }

  #isOpen(name: string, limits: string): boolean {
    return !this.#reached.has(limits) && !this.#busy.has(name) && !this.#waitsForStart(limits);
  }

  /** Whether a rate is used up. If so, the worker looks again at its time. */
  #waitsForStart(limits: string): boolean {
    const { starts, alarm } = this.#parts;
    const leftMs = starts.leftMs(limits);
    if (leftMs > 0) alarm.within(leftMs);
    return leftMs > 0;
  }

  /** Many of them are looked at less often. */
  #limitReached(texts: readonly string[], now: number): void {
    const { watchMs, pollMs } = this.#parts;
    const times = Math.max(1, (this.#reached.size + texts.length) / VAIN_CLAIMS);
    const until = now + Math.max(watchMs, Math.min(pollMs, watchMs * times));
    for (const limits of texts) this.#reached.set(limits, until);
  }

  #hasRoom(limits: string): boolean {
    return this.#roomy.has(limits) || sizesOf(limits).length === 0;
  }

  /** Where slots come first, one slot of this worker tries whether there are any. */
  #takeStart(limits: string, slotsFirst: boolean): TakeStart | undefined {
    const { starts, clock, watchMs } = this.#parts;
    if (ratesOf(limits).length === 0) return undefined;
    if (!slotsFirst) return () => starts.take(limits);
    this.#reached.set(limits, clock.now() + watchMs);
    return () => {
      this.#roomy.add(limits);
      this.#reached.delete(limits);
      return starts.take(limits);
    };
  }

  #position(name: string): ScanPosition {
    const position = this.#positions.get(name) ?? new ScanPosition(this.#parts.pollMs);
    this.#positions.set(name, position);
    return position;
  }

  #left(
    { queue, limits, worked, skipped, end, looksBack, slotsFirst, takeStart }: Sweep,
    position: ScanPosition,
  ): void {
    const { clock, watchMs, driver, alarm, wake, onFault, starts } = this.#parts;
    const now = clock.now();
    const name = nameOf({ queue, limits });
    if (end === 'limit reached') this.#roomy.delete(limits);
    else if (worked) this.#roomy.add(limits);
    if (end === 'at the last job') this.#unfinished.delete(name);
    if (slotsFirst && takeStart !== undefined) this.#reached.delete(limits);
    if (this.#roomy.size > MOST_TEXTS) this.#roomy.clear();
    // Its time may have come meanwhile.
    if (end === 'no start') alarm.within(Math.max(1, starts.leftMs(limits)));
    else if (end === 'limit reached') this.#limitReached([limits], now);
    // Jobs may be free that lie before the place where it began.
    else if (!looksBack) alarm.within(position.pauseMs(now));
    // Each run that begins, of any limits, leads to a look. With many tenants, most parts have running jobs alone.
    else if (!worked && !skipped && end === 'at the last job') this.#busy.set(name, now + watchMs);
    if (!worked) return;
    const names = sizesOf(limits).map(({ name }) => name);
    if (this.#freed(names) || end === 'timed out') wake();
    // Where no job is left, nobody waits. A worker that stops leaves its slots to the others too.
    if (end === 'timed out') driver.workers.notify(names.map((limit) => ({ limit }))).catch(onFault);
  }
}

function nameOf({ queue, limits }: QueuePart): string {
  return `${queue}\n${limits}`;
}
