import type { Json, JsonObject } from '../job/json.js';
import { checkOperation } from './check-operation.js';
import type { Operation, Path } from './operation.js';

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
