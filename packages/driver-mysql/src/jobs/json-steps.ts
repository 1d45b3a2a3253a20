import type { Json, Operation } from '@rowlock/core';
import type { JsonObject } from '@rowlock/core/types';

type Place = Operation['path'];

/**
 * What SQL does for an operation: one small change, or a check, of the value at one place. A value that is null counts as
 * missing. Each step finds what the one before it has left.
 */
export type Step = {
  /** Which operation it is of, from 0: for its refusal. */
  readonly operation: number;
  readonly at: Place;
} & (
  | { /** Refuses any value but an object. A missing value becomes {}. */ readonly do: 'object' }
  | {
      /** Refuses any value but an array that has an item with this index. */ readonly do: 'item';
      readonly index: number;
    }
  | { /** Refuses any value but an object, or a missing one. */ readonly do: 'maybe-object' }
  | { /** Refuses any value but an array, or a missing one. */ readonly do: 'maybe-array' }
  | { readonly do: 'increment'; readonly by: number }
  | { readonly do: 'append'; readonly items: readonly Json[] }
  | { readonly do: 'merge'; readonly patch: JsonObject }
  | { readonly do: 'set'; readonly value: Json }
  | { /** Does nothing where no object or array has the value. */ readonly do: 'remove' }
  | {
      /** Refuses a value whose text has more bytes in this database. */ readonly do: 'limit';
      readonly bytes: number;
    }
);

/** The steps of some operations, in order. @param mostBytes The most bytes of the result, as the database writes it. */
export function stepsOf(operations: readonly Operation[], mostBytes?: number): readonly Step[] {
  const steps = operations.flatMap((each, operation): readonly Step[] => {
    const { path: at, ...change } = each;
    const way = at.map((segment, length): Step => {
      const step = { operation, at: at.slice(0, length) };
      if (change.do === 'remove')
        return { ...step, do: typeof segment === 'string' ? 'maybe-object' : 'maybe-array' };
      return typeof segment === 'string'
        ? { ...step, do: 'object' }
        : { ...step, do: 'item', index: segment };
    });
    return [...way, { operation, at, ...change }];
  });
  if (mostBytes === undefined) return steps;
  return [...steps, { do: 'limit', operation: operations.length - 1, at: [], bytes: mostBytes }];
}
