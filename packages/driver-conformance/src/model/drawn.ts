import { STATES, type UniqueScope } from '@rowlock/core';
import type { SettlingEvent } from '@rowlock/core/driver';
import fc from 'fast-check';
import {
  ACTORS,
  CALLERS,
  type Claiming,
  type Filter,
  KINDS,
  type Settling,
  UNIQUE_KEYS,
  type Wanted,
} from './command.js';

/** Each part with what it is drawn from. */
export type Drawn<T> = { readonly [Part in keyof T]: fc.Arbitrary<T[Part]> };

export const actor = fc.constantFrom(...ACTORS);
export const caller = fc.constantFrom(...CALLERS);
export const queue = often('q', 'r');
export const key = often('k', 'l');
export const nth = fc.nat({ max: 9 });
export const kinds = fc.constantFrom<readonly string[]>(KINDS, KINDS, KINDS, ['make'], ['mend']);

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

export const jobs = fc.array(wanted, { minLength: 1, maxLength: 3 });

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

export const settling: Drawn<Settling> = {
  by: actor,
  events,
  again: often('now', 'tomorrow'),
  stranger: often(null, nth),
};

export const claiming: Drawn<Claiming> = {
  queue,
  kinds,
  beyond: often(null, nth),
  busy: fc.constantFrom<readonly string[]>([], [], [], ['k'], ['k', 'l']),
  limit: fc.constantFrom(1, 1, 2, 10),
};

export const filter: fc.Arbitrary<Filter> = fc.record(
  { queue, kind: fc.constantFrom(...KINDS), key, status: fc.constantFrom(...STATES) },
  { requiredKeys: ['queue'] },
);

/** The first in three of four cases. */
export function often<const One, const Other>(
  one: One | fc.Arbitrary<One>,
  other: Other | fc.Arbitrary<Other>,
): fc.Arbitrary<One | Other> {
  return fc.oneof({ arbitrary: arbitrary(one), weight: 3 }, { arbitrary: arbitrary(other), weight: 1 });
}

function arbitrary<T>(value: T | fc.Arbitrary<T>): fc.Arbitrary<T> {
  return value instanceof fc.Arbitrary ? value : fc.constant(value);
}
