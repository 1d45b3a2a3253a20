import { InvalidInputError } from '../errors.js';
import { checkJson, checkStorable, checkWhole, LIMITS } from '../input.js';
import { isArray, isObject, type Json } from '../job/json.js';
import { checkOptions } from '../known-options.js';
import { shown } from '../shown.js';
import { EXACT, isSummand } from './exact-sum.js';
import type { Operation } from './operation.js';

/**
 * Checks a list of operations, which may be made by hand or be parsed from JSON. Returns copies, as JSON keeps them.
 *
 * @throws InvalidInputError
 */
export function checkOperations(operations: readonly Operation[]): readonly Operation[] {
  if (!Array.isArray(operations))
    throw new InvalidInputError("An update takes a list of operations: [increment('done')].");
  checkWhole('The number of operations', operations.length, 1, LIMITS.operations);
  return operations.map(checkOperation);
}

/** What an operation takes beside `do` and `path`. */
const MEMBERS: ReadonlyMap<unknown, readonly string[]> = new Map<Operation['do'], readonly string[]>([
  ['increment', ['by']],
  ['append', ['items']],
  ['merge', ['patch']],
  ['set', ['value']],
  ['remove', []],
]);

/** @throws InvalidInputError */
export function checkOperation(operation: Operation): Operation {
  const members = MEMBERS.get(Object(operation).do);
  if (members === undefined)
    throw new InvalidInputError(
      `An operation is what increment, append, merge, set or remove returns, not ${shown(operation)}.`,
    );
  checkOptions(`The operation ${operation.do}`, operation, ['do', 'path', ...members]);
  const path = checkPath(operation.path);
  switch (operation.do) {
    case 'increment':
      if (isSummand(operation.by)) return { do: 'increment', path, by: operation.by };
      throw new InvalidInputError(
        `increment adds a whole number up to ${EXACT.mostWhole}, or one with at most ${EXACT.decimalPlaces} decimal places below ${EXACT.belowDecimal}, not ${shown(operation.by)}.`,
      );
    case 'append': {
      const items = checkValue('append', operation.items, path);
      if (isArray(items)) return { do: 'append', path, items };
      throw new InvalidInputError("append takes an array of items: append('log', [item]).");
    }
    case 'merge': {
      const patch = checkValue('merge', operation.patch, path);
      if (isObject(patch)) return { do: 'merge', path, patch };
      throw new InvalidInputError('merge takes an object. Use set for other values.');
    }
    case 'set':
      return { do: 'set', path, value: checkValue('set', operation.value, path) };
    case 'remove':
      if (path.length > 0) return { do: 'remove', path };
      throw new InvalidInputError('remove takes a path of one name or index at least.');
  }
}

/** The depth counts from the root. */
function checkValue(what: string, value: unknown, path: Operation['path']): Json {
  return checkJson(`The value of ${what}`, value, LIMITS.payloadBytes, path.length);
}

function checkPath(path: unknown): Operation['path'] {
  if (!Array.isArray(path))
    throw new InvalidInputError('A path is a list of names and indexes, or a text of names with dots.');
  checkWhole('The length of a path', path.length, 0, LIMITS.pathLength);
  return path.map(checkSegment);
}

function checkSegment(segment: unknown): string | number {
  if (typeof segment === 'string') {
    checkStorable('A name in a path', segment);
    if (segment.length <= LIMITS.jsonNameCharacters) return segment;
    throw new InvalidInputError(
      `A name in a path must have at most ${LIMITS.jsonNameCharacters} characters.`,
    );
  }
  checkWhole('An index in a path', segment, 0, LIMITS.highestIndex);
  return segment;
}
