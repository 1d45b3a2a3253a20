import type { Clock } from '../clock.js';
import { GrowingDelay } from '../job/growing-delay.js';

/** The first pause, and the longest, in milliseconds. */
const PAUSES_MS = [1_000, 60_000] as const;

/** How many are kept. An earlier one is then tried again. */
const MOST = 10_000;

interface Aside {
  readonly pause: GrowingDelay;
  until: number;
}

const NEVER = Number.NEGATIVE_INFINITY;

const newcomer = (): Aside => ({ pause: new GrowingDelay(...PAUSES_MS), until: NEVER });

/** Jobs or schedules that have failed alone. Batches leave each out for a pause, which grows with each of its failures. */
export class SetAside {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #aside = new Map<string, Aside>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Those to leave out now. */
  get except(): readonly string[] {
    const now = this.#clock.now();
    const except: string[] = [];
    for (const [member, { until }] of this.#aside) {
      if (until > now) except.push(member);
      // It has not failed since.
      else if (until + PAUSES_MS[1] < now) this.#aside.delete(member);
    }
    return except;
  }

  /** Whether it is left out now. */
  has(member: string): boolean {
    const aside = this.#aside.get(member);
    return aside !== undefined && aside.until > this.#clock.now();
  }

  /** Whether it has failed before, alone or together with others. */
  hasFailed(member: string): boolean {
    return this.#aside.has(member);
  }

  /** Milliseconds until the first of them is tried again. Null: there is none. */
  get nextMs(): number | null {
    const now = this.#clock.now();
    const first = Math.min(...[...this.#aside.values()].flatMap(({ until }) => (until > now ? until : [])));
    return Number.isFinite(first) ? first - now : null;
  }

  /** A member has failed alone. Returns whether it is the first time for long. */
  leave(member: string): boolean {
    const { pause, until } = this.#aside.get(member) ?? newcomer();
    this.#keep(member, { pause, until: this.#clock.now() + pause.next() });
    return until === NEVER;
  }

  /** It has failed together with others, and may be the cause. It is left out no longer than before. */
  suspect(member: string): void {
    if (!this.#aside.has(member)) this.#keep(member, newcomer());
  }

  #keep(member: string, aside: Aside): void {
    this.#aside.delete(member);
    this.#aside.set(member, aside);
    const [oldest] = this.#aside.keys();
    if (this.#aside.size > MOST && oldest !== undefined) this.#aside.delete(oldest);
  }

  /** It is tried again at once. */
  forget(member: string): void {
    this.#aside.delete(member);
  }
}
