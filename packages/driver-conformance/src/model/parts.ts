import type { Operation, State } from '@rowlock/core';
import type { PauseTarget, SettlingEvent } from '@rowlock/core/driver';
import type { UniqueScope } from '@rowlock/core/types';

/** The processes that work on one database. Each has a driver, and at most one claim and one worker's session at a time. */
export const ACTORS = ['ann', 'bob', 'cid'] as const;
export type Actor = (typeof ACTORS)[number];

/** Applications with a transaction of their own, in which they enqueue. */
export const CALLERS = ['xen', 'yul'] as const;
export type Caller = (typeof CALLERS)[number];

/** Short names: in the database they have the sequence's name before them. Kinds are as they are. */
export const QUEUES = ['q', 'r'] as const;
export const KEYS = ['k', 'l'] as const;
export const KINDS = ['make', 'mend'] as const;
export const UNIQUE_KEYS = ['once', 'only'] as const;
export const LIMIT_NAMES = ['a', 'b'] as const;
export const RATE_NAMES = ['x', 'y'] as const;

/** What can be paused. */
export const PAUSABLE: readonly PauseTarget[] = [
  ...QUEUES.map((name) => ({ scope: 'queue', name }) as const),
  ...KINDS.map((name) => ({ scope: 'kind', name }) as const),
  ...LIMIT_NAMES.map((name) => ({ scope: 'limit', name }) as const),
  { scope: 'all', name: '' },
];

/** The limits of a job, in the order of their names: the sizes, or the numbers of the starts. */
export interface WantedLimits {
  readonly [name: string]: number | readonly [starts: number, perMs: number, burst: number];
}

/** A job to be. */
export interface Wanted {
  readonly queue: (typeof QUEUES)[number];
  readonly kind: (typeof KINDS)[number];
  readonly key: (typeof KEYS)[number] | null;
  readonly priority: number;
  readonly available: 'now' | 'long ago' | 'tomorrow';
  readonly limits: WantedLimits | null;
  readonly unique: { readonly key: (typeof UNIQUE_KEYS)[number]; readonly scope: UniqueScope } | null;
}

/** How a run's jobs end. */
export interface Settling {
  readonly by: Actor;
  /** For the jobs that it has, in turn. */
  readonly events: readonly SettlingEvent[];
  readonly again: 'now' | 'tomorrow';
  /** One more, that it may not have. */
  readonly stranger: number | null;
}

/** What is to be claimed. */
export interface Claiming {
  readonly queue: string;
  readonly kinds: readonly string[];
  readonly beyond: number | null;
  readonly busy: readonly string[];
  /** The most jobs. With limits it is one job. */
  readonly limit: number;
  readonly limits: WantedLimits | null;
}

/** The numbers of a rate: one start in so many hours, and so many at once. */
export interface Spacing {
  readonly hours: number;
  readonly burst: number;
}

/** The numbers of a limit that are set for all. */
export interface Setting {
  readonly max?: number;
  readonly spacing?: Spacing;
}

/** A change of a job's JSON. */
export interface Updating {
  readonly by: Actor | Caller;
  readonly job: number;
  readonly column: 'metadata' | 'payload';
  readonly from: readonly State[];
  readonly operations: readonly Operation[];
}

export interface Filter {
  readonly queue: string;
  readonly kind?: string;
  readonly key?: string;
  readonly status?: State;
}

export function isCaller(who: Actor | Caller): who is Caller {
  return CALLERS.some((caller) => caller === who);
}
