import type { HistoryEntry } from '../driver/history.js';
import { type Duration, milliseconds } from '../duration.js';
import { InvalidInputError } from '../errors.js';
import { checkWhole } from '../input.js';
import { SETTLED } from '../job/lifecycle.js';

/** How long settled jobs are kept. What has no rule is kept for ever; so has `null`, where a queue differs from the others. */
export interface RetentionRules {
  /** How long jobs that are complete are kept, from when they were settled. */
  readonly complete?: Duration | null;
  /** How long jobs that ended as `error` are kept. */
  readonly error?: Duration | null;
  /** How long jobs that are cancelled are kept. */
  readonly cancelled?: Duration | null;
  /** How many settled jobs of a queue are kept at most: those that were enqueued last. */
  readonly keep?: number | null;
}

/** Rules for all queues, and others for some. */
export interface Retention extends RetentionRules {
  /**
   * By the name of a queue: what is different there. A rule that is not named here is the general one, also `keep`: a queue keeps its
   * complete jobs for ever with `{ complete: null, keep: null }`, and all of its jobs with `null` for each of the four.
   */
  readonly queues?: Readonly<Record<string, RetentionRules>>;
}

type Limits = Readonly<Record<keyof RetentionRules, number>>;

/** The rules as numbers: milliseconds and jobs, infinite where there is no rule. */
export class RetentionLimits {
  readonly #general: Limits;
  readonly #queues: ReadonlyMap<string, Limits>;
  /** What is younger than this is kept whatever its state, in milliseconds. */
  readonly shortestMs: number;
  /** Whether any queue has a most. */
  readonly counts: boolean;

  /** @throws InvalidInputError */
  constructor({ queues = {}, ...general }: Retention) {
    this.#general = limits(general, 'retention');
    this.#queues = new Map(
      Object.entries(queues).map(([queue, rules]) => [
        queue,
        limits({ ...general, ...rules }, `retention.queues[${JSON.stringify(queue)}]`),
      ]),
    );
    const all = [this.#general, ...this.#queues.values()];
    this.shortestMs = Math.min(...all.flatMap((each) => SETTLED.map((state) => each[state])));
    this.counts = all.some(({ keep }) => keep < Number.POSITIVE_INFINITY);
  }

  /** The queues that have rules of their own. */
  get queues(): readonly string[] {
    return [...this.#queues.keys()];
  }

  /** Whether there is any rule at all. */
  get any(): boolean {
    return this.counts || this.shortestMs < Number.POSITIVE_INFINITY;
  }

  /** The most settled jobs of a queue. */
  keep(queue: string): number {
    return this.#of(queue).keep;
  }

  /** Whether a job has been settled for longer than its queue and state keep it. */
  isOld({ queue, status, settledMs }: HistoryEntry): boolean {
    if (status === 'new' || status === 'in-progress' || settledMs === null) return false;
    return settledMs >= this.#of(queue)[status];
  }

  #of(queue: string): Limits {
    return this.#queues.get(queue) ?? this.#general;
  }
}

function limits(rules: RetentionRules, name: string): Limits {
  const { complete, error, cancelled, keep, ...unknown } = rules;
  const [mistaken] = Object.keys(unknown);
  // A rule that is misspelt would keep everything, or delete what another rule was to keep.
  if (mistaken !== undefined) throw new InvalidInputError(`${name} has no rule ${JSON.stringify(mistaken)}.`);
  const age = (given: Duration | null | undefined, state: string): number =>
    given == null ? Number.POSITIVE_INFINITY : milliseconds(given, `${name}.${state}`);
  if (keep != null) checkWhole(`${name}.keep`, keep, 0, Number.MAX_SAFE_INTEGER);
  return {
    complete: age(complete, 'complete'),
    error: age(error, 'error'),
    cancelled: age(cancelled, 'cancelled'),
    keep: keep ?? Number.POSITIVE_INFINITY,
  };
}
