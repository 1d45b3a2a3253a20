import { STATES, type UniqueScope } from '@rowlock/core';
import type { SettlingEvent } from '@rowlock/core/driver';
import fc from 'fast-check';
import {
  ACTORS,
  type Actor,
  CALLERS,
  type Caller,
  type Claiming,
  type Command,
  type Filter,
  KINDS,
  UNIQUE_KEYS,
  type Wanted,
} from './command.js';

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

const settling = { by: actor, events, again: often('now', 'tomorrow'), stranger: often(null, nth) };

const claiming = {
  queue,
  kinds,
  beyond: often(null, nth),
  busy: fc.constantFrom<readonly string[]>([], [], [], ['k'], ['k', 'l']),
  limit: fc.constantFrom(1, 1, 2, 10),
};

const next: fc.Arbitrary<Claiming | null> = fc.option(fc.record(claiming));

const filter: fc.Arbitrary<Filter> = fc.record(
  { queue, kind: fc.constantFrom(...KINDS), key, status: fc.constantFrom(...STATES) },
  { requiredKeys: ['queue'] },
);

/** Every command, and how often it comes in proportion to the others. */
const ALL: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<Command>])[] = [
  [6, enqueue(actor)],
  [2, enqueue(caller)],
  [2, fc.record({ do: fc.constant('end'), by: caller, how: often('commit', 'rollback') })],
  [9, fc.record({ do: fc.constant('claim'), by: actor, ...claiming })],
  [
    7,
    fc.record({
      do: fc.constant('lockSiblings'),
      by: actor,
      queue: often(null, queue),
      keys: fc.constantFrom<readonly string[]>(['k'], ['k'], ['l'], ['k', 'l'], ['l', 'k']),
      limit: fc.constantFrom(10, 10, 1),
    }),
  ],
  [1, fc.record({ do: fc.constant('firstOutstanding'), by: actor, key, kinds, before: nth })],
  [9, fc.record({ do: fc.constant('startRuns'), by: actor, endsCrashed: often(true, false) })],
  [2, fc.record({ do: fc.constant('endCrashed'), by: actor })],
  [1, fc.record({ do: fc.constant('noteRun'), by: actor, run: nth })],
  [3, fc.record({ do: fc.constant('write'), by: actor })],
  [1, fc.record({ do: fc.constant('undo'), by: actor })],
  [2, fc.record({ do: fc.constant('renew'), by: actor })],
  [9, fc.record({ do: fc.constant('settle'), ...settling })],
  [6, fc.record({ do: fc.constant('finish'), ...settling, next })],
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
  [2, fc.record({ do: fc.constant('makeDue'), job: nth })],
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
