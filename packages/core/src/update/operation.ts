import type { Json } from '../job/json.js';
import { checkOperation } from './check-operation.js';

/**
 * Where a value is in JSON: the names of members and the indexes of items that lead to it, at most 16. An empty list is
 * the whole JSON. A text is a list of names with dots between them: `'counters.done'` is `['counters', 'done']`. A name
 * from outside may have a dot, so pass it in a list.
 */
export type Path = string | readonly (string | number)[];

/** A change of one value in JSON, as plain data. */
export type Operation =
  | (At & { readonly do: 'increment'; readonly by: number })
  | (At & { readonly do: 'append'; readonly items: readonly Json[] })
  | (At & { readonly do: 'merge'; readonly patch: JsonObject })
  | (At & { readonly do: 'set'; readonly value: Json })
  | (At & { readonly do: 'remove' });

interface At {
  readonly path: readonly (string | number)[];
}

export type JsonObject = { readonly [name: string]: Json };

/**
 * Adds to a number. A missing number counts as 0.
 *
 * The result is exact, so the order of increments makes no difference. Whole numbers go up to 2^53 - 1. Others have at
 * most 6 decimal places, and their sum is below 10^9.
 *
 * @param by Default 1.
 * @throws InvalidInputError
 */
export function increment(path: Path, by = 1): Operation {
  return checkOperation({ do: 'increment', path: namesOf(path), by });
}

/** Adds items to the end of an array. A missing array counts as empty. @throws InvalidInputError */
export function append(path: Path, items: readonly Json[]): Operation {
  return checkOperation({ do: 'append', path: namesOf(path), items });
}

/**
 * Merges an object into the value, member by member and at any depth. A member that is null is removed. Any other value
 * than an object is replaced: JSON Merge Patch, RFC 7396.
 *
 * @throws InvalidInputError
 */
export function merge(path: Path, patch: JsonObject): Operation {
  return checkOperation({ do: 'merge', path: namesOf(path), patch });
}

/** Writes a value in the place of any other. @throws InvalidInputError */
export function set(path: Path, value: Json): Operation {
  return checkOperation({ do: 'set', path: namesOf(path), value });
}

/** Removes a member of an object, or an item of an array. Later items move up. A missing value stays missing. @throws InvalidInputError */
export function remove(path: Path): Operation {
  return checkOperation({ do: 'remove', path: namesOf(path) });
}

function namesOf(path: Path): Operation['path'] {
  return typeof path === 'string' ? path.split('.') : path;
}
