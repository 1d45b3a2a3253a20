import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.js';
import type { ClaimSession } from '../driver/claim-session.js';
import type { Uses } from '../driver/driver.js';
import { isDriverError } from '../driver/driver-error.js';
import { type Duration, milliseconds } from '../duration.js';
import { InvalidInputError } from '../errors.js';
import { GrowingDelay } from '../job/growing-delay.js';
import { limitsText } from '../job/limits-text.js';
import { checkOptions } from '../known-options.js';

/** How many may be in at once: `max`, or so many buckets with `perBucket` slots each. */
export type SlotsSize = { readonly max: number } | { readonly perBucket: number; readonly buckets: number };

export interface AcquireOptions {
  /** How long to wait for a slot. Default: not at all. */
  readonly wait?: Duration;
  /** The longest time to keep the slot. Then the server takes it back, and `lost` is aborted. Default 1 h. */
  readonly atMost?: Duration;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

/** A slot, until `release`, the end of the process, or the loss of its connection. */
export interface SlotHolder {
  readonly outcome: 'acquired';
  /** Aborted when the slot is lost. Its reason says why. */
  readonly lost: AbortSignal;
  /** Gives the slot back. Never rejects, and may be called twice. */
  release(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** All slots are taken. */
export interface SlotsFull {
  readonly outcome: 'full';
  [Symbol.asyncDispose](): Promise<void>;
}

const ACQUIRE_OPTIONS: readonly string[] = ['wait', 'atMost', 'signal'] satisfies (keyof AcquireOptions)[];

const FULL: SlotsFull = { outcome: 'full', async [Symbol.asyncDispose]() {} };

/** The shortest and the longest pause between two tries, in milliseconds. A longer one leaves slots unused. */
const TRY_MS = [10, 250] as const;

export interface SlotsParts {
  readonly driver: Uses<{ claims: 'session'; workers: 'notify' }>;
  readonly clock: Clock;
  /** The slots that this process has, without those of jobs. */
  readonly held: Set<SlotHolder>;
}

/** The slots of one limit, as one caller sees its size. */
export class Slots {
  readonly #parts: SlotsParts;
  readonly #name: string;
  readonly #limits: string;

  /** @throws InvalidInputError */
  constructor(parts: SlotsParts, name: string, size: SlotsSize) {
    this.#parts = parts;
    this.#name = name;
    this.#limits = limitsText([{ name, max: maxOf(size) }]);
  }

  /**
   * Takes a slot if fewer than the size are taken, whatever size their takers had. A slot is a row lock on a connection
   * of its own, so the death of this process gives it back at once.
   *
   * @returns the slot, or `full`. Of those who wait, anyone may be next.
   * @throws DriverError, InvalidInputError; the `signal`'s reason.
   */
  async acquire(options: AcquireOptions = {}): Promise<SlotHolder | SlotsFull> {
    checkOptions('acquire()', options, ACQUIRE_OPTIONS);
    const { wait = 0, atMost = '1h', signal } = options;
    const { driver, clock } = this.#parts;
    const until = clock.now() + milliseconds(wait, 'wait');
    const idleLimitMs = milliseconds(atMost, 'atMost');
    const pause = new GrowingDelay(...TRY_MS);
    for (;;) {
      signal?.throwIfAborted();
      const session = driver.claims.session({ idleLimitMs });
      if (await entered(session, this.#limits)) return this.#holder(session);
      const leftMs = until - clock.now();
      if (leftMs <= 0) return FULL;
      await sleep(Math.min(leftMs, pause.next()), undefined, { signal }).catch(() =>
        signal?.throwIfAborted(),
      );
    }
  }

  #holder(session: ClaimSession<unknown>): SlotHolder {
    const { lost } = session;
    let released: Promise<void> | undefined;
    const release = (): Promise<void> => {
      this.#parts.held.delete(holder);
      released ??= session.rollback().then(() => this.#wake());
      return released;
    };
    const holder: SlotHolder = { outcome: 'acquired', lost, release, [Symbol.asyncDispose]: release };
    this.#parts.held.add(holder);
    return holder;
  }

  /** A wake-up is a hint: those who wait look again by themselves. */
  #wake(): Promise<void> {
    return this.#parts.driver.workers.notify([{ limit: this.#name }]).catch(() => {});
  }
}

/** Tries once, and leaves nothing open if all slots are taken. */
async function entered(session: ClaimSession<unknown>, limits: string): Promise<boolean> {
  try {
    await session.enterLimits(limits);
    return true;
  } catch (error) {
    await session.rollback();
    if (isDriverError(error, 'LimitReached')) return false;
    throw error;
  }
}

function maxOf(size: SlotsSize): number {
  checkOptions('The size of slots', size, ['max', 'perBucket', 'buckets']);
  const { max, perBucket, buckets }: { max?: number; perBucket?: number; buckets?: number } = size;
  if (max !== undefined && perBucket === undefined && buckets === undefined) return max;
  if (max === undefined && perBucket !== undefined && buckets !== undefined) return perBucket * buckets;
  throw new InvalidInputError('The size of slots is { max }, or { perBucket, buckets } of whole numbers.');
}
