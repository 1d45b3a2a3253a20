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

/** Members that have failed alone. Batches leave each out for a pause, which grows with each of its failures. */
export class SetAside<Member> {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #aside = new Map<Member, Aside>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Those to leave out now. */
  get members(): readonly Member[] {
    const now = this.#clock.now();
    const members: Member[] = [];
    for (const [member, { until }] of this.#aside) {
      if (until > now) members.push(member);
      // It has not failed since.
      else if (until + PAUSES_MS[1] < now) this.#aside.delete(member);
    }
    return members;
  }

  /** Milliseconds until the first of them is tried again. Null: there is none. */
  get nextMs(): number | null {
    const now = this.#clock.now();
    const first = Math.min(...[...this.#aside.values()].flatMap(({ until }) => (until > now ? until : [])));
    return Number.isFinite(first) ? first - now : null;
  }

  /** A member has failed. Returns whether it is the first time for long. */
  add(member: Member): boolean {
    const known = this.#aside.get(member);
    const { pause } = known ?? { pause: new GrowingDelay(...PAUSES_MS) };
    this.#aside.delete(member);
    this.#aside.set(member, { pause, until: this.#clock.now() + pause.next() });
    const [oldest] = this.#aside.keys();
    if (this.#aside.size > MOST && oldest !== undefined) this.#aside.delete(oldest);
    return known === undefined;
  }

  /** It is tried again at once. */
  forget(member: Member): void {
    this.#aside.delete(member);
  }
}
