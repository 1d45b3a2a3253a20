import { type ClientEvent, type SettlingEvent, STATES, type State, type UniqueScope } from '@rowlock/core';
import fc from 'fast-check';

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
const UNIQUE_KEYS = ['once', 'only'] as const;

/** A job to be. */
export interface Wanted {
  readonly queue: (typeof QUEUES)[number];
  readonly kind: (typeof KINDS)[number];
  readonly key: (typeof KEYS)[number] | null;
  readonly priority: number;
  readonly available: 'now' | 'long ago' | 'tomorrow';
  readonly unique: { readonly key: (typeof UNIQUE_KEYS)[number]; readonly scope: UniqueScope } | null;
}

/** One thing that somebody does. Jobs, leases and runs are counted from 0, in the order in which they came to be. */
export type Command =
  | { readonly do: 'enqueue'; readonly by: Actor | Caller; readonly jobs: readonly Wanted[] }
  | { readonly do: 'end'; readonly by: Caller; readonly how: 'commit' | 'rollback' }
  | {
      readonly do: 'claim';
      readonly by: Actor;
      readonly queue: string;
      readonly kinds: readonly string[];
      readonly beyond: number | null;
      readonly busy: readonly string[];
    }
  | {
      readonly do: 'lockSiblings';
      readonly by: Actor;
      /** Null: of the job that was claimed first. */
      readonly queue: string | null;
      readonly key: string;
      readonly limit: number;
    }
  | {
      readonly do: 'firstOutstanding';
      readonly by: Actor;
      readonly key: string;
      readonly kinds: readonly string[];
      readonly before: number;
    }
  | { readonly do: 'startRun'; readonly by: Actor }
  | { readonly do: 'noteRun'; readonly by: Actor; readonly run: number }
  | { readonly do: 'write'; readonly by: Actor }
  | { readonly do: 'undo'; readonly by: Actor }
  | {
      readonly do: 'settle';
      readonly by: Actor;
      /** For the jobs that it has, in turn. */
      readonly events: readonly SettlingEvent[];
      readonly again: 'now' | 'tomorrow';
      /** One more, that it may not have. */
      readonly stranger: number | null;
    }
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
  | { readonly do: 'dawn'; readonly job: number }
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

const actor = fc.constantFrom(...ACTORS);
const caller = fc.constantFrom(...CALLERS);
const queue = often('q', 'r');
const key = often('k', 'l');
const nth = fc.nat({ max: 9 });
const kinds = fc.constantFrom<readonly string[]>(KINDS, KINDS, KINDS, ['make'], ['mend']);

const wanted: fc.Arbitrary<Wanted> = fc.record({
  queue,
  kind: fc.constantFrom(...KINDS),
  key: fc.constantFrom('k', 'k', 'l', null),
  priority: fc.constantFrom(0, 0, 0, 1, -1),
  available: fc.constantFrom('now', 'now', 'now', 'long ago', 'tomorrow'),
  unique: often(
    null,
    fc.record({
      key: fc.constantFrom(...UNIQUE_KEYS),
      scope: fc.constantFrom<UniqueScope>('outstanding', 'ever'),
    }),
  ),
});

const events = fc.array(
  fc.constantFrom<SettlingEvent>(
    'complete',
    'complete',
    'retry',
    'fail',
    'snooze',
    'release',
    'exhaust',
    'abandon',
  ),
  { minLength: 1, maxLength: 3 },
);

const filter: fc.Arbitrary<Filter> = fc.record(
  { queue, kind: fc.constantFrom(...KINDS), key, status: fc.constantFrom(...STATES) },
  { requiredKeys: ['queue'] },
);

/** Every command, and how often it comes in proportion to the others. */
const ALL: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<Command>])[] = [
  [6, enqueue(actor)],
  [2, enqueue(caller)],
  [2, fc.record({ do: fc.constant('end'), by: caller, how: often('commit', 'rollback') })],
  [
    9,
    fc.record({
      do: fc.constant('claim'),
      by: actor,
      queue,
      kinds,
      beyond: often(null, nth),
      busy: fc.constantFrom<readonly string[]>([], [], [], ['k'], ['k', 'l']),
    }),
  ],
  [
    7,
    fc.record({
      do: fc.constant('lockSiblings'),
      by: actor,
      queue: often(null, queue),
      key,
      limit: fc.constantFrom(10, 10, 1),
    }),
  ],
  [1, fc.record({ do: fc.constant('firstOutstanding'), by: actor, key, kinds, before: nth })],
  [9, fc.record({ do: fc.constant('startRun'), by: actor })],
  [1, fc.record({ do: fc.constant('noteRun'), by: actor, run: nth })],
  [3, fc.record({ do: fc.constant('write'), by: actor })],
  [1, fc.record({ do: fc.constant('undo'), by: actor })],
  [
    9,
    fc.record({
      do: fc.constant('settle'),
      by: actor,
      events,
      again: often('now', 'tomorrow'),
      stranger: often(null, nth),
    }),
  ],
  [7, fc.record({ do: fc.constant('commit'), by: actor })],
  [1, fc.record({ do: fc.constant('rollback'), by: actor })],
  [1, fc.record({ do: fc.constant('release'), by: actor })],
  [
    6,
    fc.record({
      do: fc.constant('lease'),
      by: actor,
      most: fc.constantFrom(10, 10, 1),
      isOver: often(false, true),
    }),
  ],
  [5, fc.record({ do: fc.constant('lockLeased'), by: actor, lease: fc.nat({ max: 4 }) })],
  [2, fc.record({ do: fc.constant('reclaim'), by: actor, dead: often('everybody', 'nobody') })],
  [2, fc.record({ do: fc.constant('survey'), by: actor, kinds })],
  [
    3,
    fc.record({ do: fc.constant('move'), by: actor, event: fc.constantFrom('cancel', 'redrive'), job: nth }),
  ],
  [1, fc.record({ do: fc.constant('list'), by: actor, filter, limit: often(100, 2) })],
  [1, fc.record({ do: fc.constant('count'), by: actor, filter })],
  [1, fc.record({ do: fc.constant('workers'), by: actor })],
  [2, fc.record({ do: fc.constant('dawn'), job: nth })],
  [1, fc.record({ do: fc.constant('look') })],
  [2, fc.record({ do: fc.constant('crash'), by: actor, how: often('killed', 'cut off') })],
  [1, fc.record({ do: fc.constant('stop'), by: actor })],
];

/** All kinds of commands. What a sequence is made of is drawn from these; what cannot be done then is left out. */
export const commands: readonly fc.Arbitrary<Command>[] = ALL.flatMap(([weight, arbitrary]) =>
  Array.from({ length: weight }, () => arbitrary),
);

function enqueue(by: fc.Arbitrary<Actor | Caller>): fc.Arbitrary<Command> {
  return fc.record({
    do: fc.constant('enqueue'),
    by,
    jobs: fc.array(wanted, { minLength: 1, maxLength: 3 }),
  });
}

/** The first in three of four cases. */
function often<const One, const Other>(
  one: One | fc.Arbitrary<One>,
  other: Other | fc.Arbitrary<Other>,
): fc.Arbitrary<One | Other> {
  return fc.oneof({ arbitrary: arbitrary(one), weight: 3 }, { arbitrary: arbitrary(other), weight: 1 });
}

function arbitrary<T>(value: T | fc.Arbitrary<T>): fc.Arbitrary<T> {
  return value instanceof fc.Arbitrary ? value : fc.constant(value);
}
