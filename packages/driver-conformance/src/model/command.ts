import type { State, UniqueScope } from '@rowlock/core';
import type { ClientEvent, SettlingEvent } from '@rowlock/core/driver';

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

/** A job to be. */
export interface Wanted {
  readonly queue: (typeof QUEUES)[number];
  readonly kind: (typeof KINDS)[number];
  readonly key: (typeof KEYS)[number] | null;
  readonly priority: number;
  readonly available: 'now' | 'long ago' | 'tomorrow';
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
  readonly limit: number;
}

/** One thing that somebody does. Jobs, leases and runs are counted from 0, in the order in which they came to be. */
export type Command =
  | { readonly do: 'enqueue'; readonly by: Actor | Caller; readonly jobs: readonly Wanted[] }
  | { readonly do: 'end'; readonly by: Caller; readonly how: 'commit' | 'rollback' }
  | (Claiming & { readonly do: 'claim'; readonly by: Actor })
  | {
      readonly do: 'lockSiblings';
      readonly by: Actor;
      /** Null: of the job that was claimed first. */
      readonly queue: string | null;
      readonly keys: readonly string[];
      readonly limit: number;
    }
  | {
      readonly do: 'firstOutstanding';
      readonly by: Actor;
      readonly key: string;
      readonly kinds: readonly string[];
      readonly before: number;
    }
  /** Where it finds runs that have not ended, it may end them, and start its own again. */
  | { readonly do: 'startRuns'; readonly by: Actor; readonly endsCrashed: boolean }
  /** All runs of its jobs that have not ended, but its own. */
  | { readonly do: 'endCrashed'; readonly by: Actor }
  | { readonly do: 'noteRun'; readonly by: Actor; readonly run: number }
  | { readonly do: 'write'; readonly by: Actor }
  | { readonly do: 'undo'; readonly by: Actor }
  | { readonly do: 'renew'; readonly by: Actor }
  | (Settling & { readonly do: 'settle' })
  /** And claims behind the commit. */
  | (Settling & { readonly do: 'finish'; readonly next: Claiming | null })
  | { readonly do: 'commit'; readonly by: Actor }
  | { readonly do: 'rollback'; readonly by: Actor }
  | { readonly do: 'release'; readonly by: Actor }
  | { readonly do: 'lease'; readonly by: Actor; readonly most: number; readonly isOver: boolean }
  | { readonly do: 'lockLeased'; readonly by: Actor; readonly lease: number }
  | { readonly do: 'reclaim'; readonly by: Actor; readonly dead: 'nobody' | 'everybody' }
  | { readonly do: 'survey'; readonly by: Actor; readonly kinds: readonly string[] }
  | { readonly do: 'move'; readonly by: Actor; readonly event: ClientEvent; readonly job: number }
  | { readonly do: 'list'; readonly by: Actor; readonly filter: Filter; readonly limit: number }
  | { readonly do: 'count'; readonly by: Actor; readonly filter: Filter }
  | { readonly do: 'workers'; readonly by: Actor }
  /** Its availability is written by hand. */
  | { readonly do: 'makeDue'; readonly job: number }
  /** The tables are read past the driver. */
  | { readonly do: 'look' }
  /** Its connections are ended, that of the claim and the worker's session; and it with them, or it opens new ones. */
  | { readonly do: 'crash'; readonly by: Actor; readonly how: 'killed' | 'cut off' }
  /** The worker's session is ended in good order. */
  | { readonly do: 'stop'; readonly by: Actor };

export interface Filter {
  readonly queue: string;
  readonly kind?: string;
  readonly key?: string;
  readonly status?: State;
}

/** The command of this name. */
export type CommandOf<Do extends Command['do']> = Extract<Command, { readonly do: Do }>;

export function isCaller(who: Actor | Caller): who is Caller {
  return CALLERS.some((caller) => caller === who);
}
