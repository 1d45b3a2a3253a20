import { append, increment, merge, type Operation, remove, STATES, type State, set } from '@rowlock/core';
import { SETTLED, type SettlingEvent } from '@rowlock/core/driver';
import type { UniqueScope } from '@rowlock/core/types';
import fc from 'fast-check';
import {
  ACTORS,
  CALLERS,
  type Claiming,
  type Filter,
  KINDS,
  LIMIT_NAMES,
  PAUSABLE,
  RATE_NAMES,
  type Setting,
  type Settling,
  type Spacing,
  UNIQUE_KEYS,
  type Updating,
  type Wanted,
  type WantedLimits,
} from './parts.js';

/** Each part with what it is drawn from. */
export type Drawn<T> = { readonly [Part in keyof T]: fc.Arbitrary<T[Part]> };

export const actor = fc.constantFrom(...ACTORS);
export const caller = fc.constantFrom(...CALLERS);
export const queue = often('q', 'r');
export const key = often('k', 'l');
export const nth = fc.nat({ max: 9 });
export const kinds = fc.constantFrom<readonly string[]>(KINDS, KINDS, KINDS, ['make'], ['mend']);

const HOUR_MS = 3_600_000;

/** Two texts have a limit in common. */
const LIMITS: readonly WantedLimits[] = [{ a: 1 }, { a: 1 }, { a: 2, b: 1 }, { b: 2, x: [1, HOUR_MS, 1] }];

const limits = often(null, fc.constantFrom(...LIMITS));

const wanted: fc.Arbitrary<Wanted> = fc.record({
  queue,
  kind: fc.constantFrom(...KINDS),
  key: fc.constantFrom('k', 'k', 'l', null),
  priority: fc.constantFrom(0, 0, 0, 1, -1),
  available: fc.constantFrom('now', 'now', 'now', 'long ago', 'tomorrow'),
  limits,
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
  limits,
};

export const limitName = fc.constantFrom(...LIMIT_NAMES);
export const size = fc.constantFrom(1, 2, 3);
export const target = fc.constantFrom(...PAUSABLE);

export const rateName = fc.constantFrom(...RATE_NAMES);
const spacing: fc.Arbitrary<Spacing> = fc.record({
  hours: fc.constantFrom(1, 1, 2),
  burst: fc.constantFrom(1, 1, 2, 3),
});
export const anyLimitName = fc.constantFrom(...LIMIT_NAMES, ...RATE_NAMES);
export const limitSetting: fc.Arbitrary<Setting> = fc.oneof(
  fc.record({ max: size }),
  fc.record({ spacing }),
  fc.record({ max: size, spacing }),
);
/** In the order of their names. */
export const rates = fc
  .tuple(fc.subarray([...RATE_NAMES], { minLength: 1 }), spacing)
  .map(([names, numbers]) => names.map((name) => ({ name, ...numbers })));

export const updating: Drawn<Omit<Updating, 'by' | 'operations'>> = {
  job: nth,
  column: often('metadata', 'payload'),
  from: fc.constantFrom<readonly State[]>(['new'], ['new', ...SETTLED]),
};

/** Whatever is there, these fit. */
export const operations = fc.array(
  fc.constantFrom<Operation>(
    increment('n'),
    append('log', ['more']),
    merge('deep', { of: { one: 1, gone: null } }),
    merge('deep', { of: { one: null, gone: 1 } }),
    set('last', [true]),
    remove('last'),
  ),
  { minLength: 1, maxLength: 3 },
);

/** The second of these is refused, and so neither is done. */
export const refused: readonly Operation[] = [set('bad', {}), increment('bad')];

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
