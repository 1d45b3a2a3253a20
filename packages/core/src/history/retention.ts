import type { JobEntry } from '../driver/job-filter.js';
import { type Duration, milliseconds } from '../duration.js';
import { checkWhole } from '../input.js';
import { SETTLED } from '../job/lifecycle.js';
import { checkOptions } from '../known-options.js';

/** How long settled jobs are kept. Jobs without a rule are kept for ever. `null` removes a general rule for one queue. */
export interface RetentionRules {
  /** How long jobs that are complete are kept, from when they were settled. */
  readonly complete?: Duration | null;
  /** How long jobs that ended as `error` are kept. */
  readonly error?: Duration | null;
  /** How long jobs that are cancelled are kept. */
  readonly cancelled?: Duration | null;
  /** How many settled jobs of a queue are kept at most: the last ones to be enqueued. */
  readonly keep?: number | null;
}

/** Rules for all queues, and others for some. */
export interface Retention extends RetentionRules {
  /**
   * Rules by the name of a queue. The general rule stands for each rule that is not named here, also for `keep`. To
   * keep the complete jobs of a queue for ever, write `{ complete: null, keep: null }`. To keep all of its jobs, write
   * `null` for each of the four.
   */
  readonly queues?: Readonly<Record<string, RetentionRules>>;
  /** How long it is kept what operators have done (`insight.audit`). Workers delete it, and `jobs.prune` does not. */
  readonly audit?: Duration | null;
}

const RULES: readonly string[] = [
  'complete',
  'error',
  'cancelled',
  'keep',
] satisfies (keyof RetentionRules)[];

type Limits = Readonly<Record<keyof RetentionRules, number>>;

/** The rules as numbers, in milliseconds and jobs. Infinite where there is no rule. */
export class RetentionLimits {
  readonly #general: Limits;
  readonly #queues: ReadonlyMap<string, Limits>;
  /** The shortest time that a rule keeps jobs, in milliseconds. Younger jobs are kept in any state. */
  readonly shortestMs: number;
  /** How long the audit is kept, in milliseconds. */
  readonly auditMs: number;
  /** Whether any queue has a limit on its number of jobs. */
  readonly counts: boolean;

  /** @throws InvalidInputError */
  constructor(rules: Retention) {
    checkOptions('retention', rules, [...RULES, 'queues', 'audit']);
    const { queues = {}, audit, ...general } = rules;
    this.auditMs = audit == null ? Number.POSITIVE_INFINITY : milliseconds(audit, 'retention.audit');
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

  get queues(): readonly string[] {
    return [...this.#queues.keys()];
  }

  /** Whether there is any rule for jobs. */
  get any(): boolean {
    return this.counts || this.shortestMs < Number.POSITIVE_INFINITY;
  }

  keep(queue: string): number {
    return this.#of(queue).keep;
  }

  /** Whether a job has been settled for longer than its queue and state keep it. */
  isOld({ queue, status, settledMs }: JobEntry): boolean {
    if (status === 'new' || status === 'in-progress' || settledMs === null) return false;
    return settledMs >= this.#of(queue)[status];
  }

  #of(queue: string): Limits {
    return this.#queues.get(queue) ?? this.#general;
  }
}

function limits(rules: RetentionRules, name: string): Limits {
  // A misspelt rule would keep everything, or delete jobs that another rule keeps.
  checkOptions(name, rules, RULES);
  const { complete, error, cancelled, keep } = rules;
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
