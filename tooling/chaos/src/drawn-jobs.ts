import type { Mode } from './mode.js';
import type { Random } from './random.js';
import { type Kind, TROUBLES, type Work } from './work.js';

/** A job that somebody wants. */
export interface DrawnJob {
  readonly kind: Kind;
  readonly key: string | null;
  readonly payload: Work;
  readonly priority?: number;
  readonly delay?: number;
  /** After how many milliseconds it is cancelled, if it is. */
  readonly cancelledAfterMs?: number;
}

/** Entities that exist for each mode: their rows are what runs meet each other at. */
export const ENTITIES = 400;

/** Entities that are worked on at one time. */
const LIVE = 15;

/** How many jobs are wanted at once where they go in batches, at most. */
const BURST = 40;

/** How long a handler takes that others of its key, or of its batch, can wait for, in milliseconds. */
const SHORT_MS = [0, 15] as const;

/** What is wanted: creations and the updates that follow them, plain and keyless jobs, delayed and failing ones, of all priorities. */
export class DrawnJobs {
  readonly #mode: Mode;
  readonly #random: Random;
  readonly #workMs: readonly [number, number];
  readonly #prefix: string;
  #jobs = 0;
  #newest = 0;

  constructor(mode: Mode, random: Random, workMs: readonly [number, number], prefix = '') {
    this.#prefix = prefix;
    this.#mode = mode;
    this.#random = random;
    this.#workMs = workMs;
  }

  /** How many there were so far. */
  get count(): number {
    return this.#jobs;
  }

  /** The next ones; those that are wanted at once are committed together. @param mayLimit Whether they may have limits */
  next(mayLimit: boolean): readonly DrawnJob[] {
    return this.#mode === 'batch' ? this.#burst() : [this.#one(mayLimit)];
  }

  /** A job that kills whoever runs it; where jobs go in batches, two, in the middle of others. */
  poison(): readonly DrawnJob[] {
    const poison = (): DrawnJob => this.#job('poison', this.#entity(), { poison: true });
    if (this.#mode !== 'batch') return [poison()];
    return this.#random.shuffled([...this.#burst(), poison(), { ...poison(), key: null }]);
  }

  #one(mayLimit: boolean): DrawnJob {
    const random = this.#random;
    const die = random.next();
    const failures = random.chance(0.1) ? 1 : 0;
    const limits = this.#limits();
    const work: Partial<Work> = { failures, ...(mayLimit ? limits : {}) };
    const priority = random.whole(-3, 3);
    if (die < 0.1) return this.#create(work);
    if (die < 0.5) return this.#job('update', this.#entity(), work);
    if (die < 0.7) return { ...this.#job('plain', this.#entity(), work), priority };
    if (die < 0.8) return { ...this.#job('plain', this.#entity(), work), delay: random.whole(50, 1_000) };
    return { ...this.#job('loose', null, work), priority };
  }

  /** Of several limits, or of one. */
  #limits(): Pick<Work, 'limits'> {
    const die = this.#random.next();
    if (die < 0.15) return { limits: ['limit of 1'] };
    if (die < 0.35) return { limits: ['limit of 3'] };
    if (die < 0.55) return { limits: ['limit of 10'] };
    return die < 0.6 ? { limits: ['limit of 1', 'limit of 10'] } : {};
  }

  #burst(): readonly DrawnJob[] {
    const size = this.#random.whole(1, BURST);
    return Array.from({ length: size }, () => this.#inBurst());
  }

  #inBurst(): DrawnJob {
    const random = this.#random;
    const die = random.next();
    const short = random.chance(0.7);
    const work: Partial<Work> = {
      ...(short ? { ms: random.whole(...SHORT_MS), early: random.chance(0.3) } : { early: false }),
      ...(random.chance(0.2) ? { failures: 1, trouble: random.pick(TROUBLES) } : {}),
      ...{ heeds: random.chance(0.5), tells: random.chance(0.2) },
    };
    const more = {
      ...(random.chance(0.3) ? { priority: random.whole(-3, 3) } : {}),
      ...(random.chance(0.05) ? { delay: random.whole(50, 1_000) } : {}),
      ...(random.chance(0.05) ? { cancelledAfterMs: random.whole(0, 300) } : {}),
    };
    if (die < 0.07) return this.#create(work);
    if (die < 0.3) return this.#job('update', this.#entity(), work);
    if (die < 0.5) return { ...this.#job('plain', this.#entity(), work), ...more };
    if (die < 0.65) return { ...this.#job('outside', this.#entity(), work), ...more };
    if (die < 0.8) return { ...this.#job('loose', null, work), ...more };
    if (die < 0.88) return { ...this.#job('outside', null, work), ...more };
    if (die < 0.95) return { ...this.#job('wide', this.#entity(), work), ...more };
    return { ...this.#job('single', this.#entity(), work), ...more };
  }

  #create(work: Partial<Work>): DrawnJob {
    this.#newest += 1;
    return this.#job('create', this.#entity(0), work);
  }

  #job(kind: Kind, key: string | null, work: Partial<Work>): DrawnJob {
    const tag = `${this.#prefix}${this.#mode}-${++this.#jobs}`;
    return { kind, key, payload: { tag, ms: this.#random.whole(...this.#workMs), ...work } };
  }

  #entity(age = this.#random.whole(0, LIVE - 1)): string {
    return entityName(this.#mode, (this.#newest - age + ENTITIES) % ENTITIES);
  }
}

export function entityName(mode: Mode, number: number): string {
  return `${mode}-entity-${number}`;
}
