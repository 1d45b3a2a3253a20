import { isArray, isObject, type Json, type JsonObject } from '../job/json.js';
import { exactSum } from './exact-sum.js';
import type { Operation } from './operation.js';
import { type RefusalReason, UpdateRefusedError } from './refusal.js';

/** A value in JSON. Undefined: there is none. */
type Found = Json | undefined;

/**
 * The JSON after some operations, one after the other. This is the definition of the operations: every database's SQL
 * has the same results. Null counts as missing.
 *
 * @throws UpdateRefusedError
 */
export function apply(operations: readonly Operation[], json: Json): Json {
  return operations.reduce<Json>((before, operation, place) => {
    try {
      const [change, createsPath] = changeOf(operation);
      return at(operation.path, before, change, createsPath) ?? null;
    } catch (error) {
      throw error instanceof Refusal ? new UpdateRefusedError(place, error.reason) : error;
    }
  }, json);
}

class Refusal extends Error {
  constructor(readonly reason: RefusalReason) {
    super(reason);
  }
}

type Change = (found: Found) => Found;

/** What an operation makes of the value at its path, and whether it creates the objects that lead there. */
function changeOf(operation: Operation): readonly [change: Change, createsPath: boolean] {
  switch (operation.do) {
    case 'increment':
      return [(found) => incremented(found, operation.by), true];
    case 'append':
      return [(found) => appended(found, operation.items), true];
    case 'merge':
      return [(found) => merged(found, operation.patch), true];
    case 'set':
      return [() => operation.value, true];
    case 'remove':
      return [() => undefined, false];
  }
}

/** Changes the value at a path. */
function at(path: Operation['path'], found: Found, change: Change, createsPath: boolean): Found {
  const [segment, ...rest] = path;
  if (segment === undefined) return change(found);
  const inner = (value: Found): Found => at(rest, value, change, createsPath);
  if (isMissing(found) && !createsPath) return found;
  if (typeof segment === 'string') {
    if (!isMissing(found) && !isObject(found)) throw new Refusal('not-an-object');
    return withMember(isMissing(found) ? {} : found, segment, inner);
  }
  if (isMissing(found)) throw new Refusal('no-item');
  if (!isArray(found)) throw new Refusal('not-an-array');
  if (segment < found.length) return withItem(found, segment, inner);
  if (createsPath) throw new Refusal('no-item');
  return found;
}

function withMember(object: JsonObject, name: string, change: Change): JsonObject {
  const value = change(Object.hasOwn(object, name) ? object[name] : undefined);
  const members = new Map(Object.entries(object));
  if (value === undefined) members.delete(name);
  else members.set(name, value);
  // Also `__proto__` becomes a member.
  return Object.fromEntries(members);
}

function withItem(array: readonly Json[], index: number, change: Change): readonly Json[] {
  const value = change(array[index]);
  return [...array.slice(0, index), ...(value === undefined ? [] : [value]), ...array.slice(index + 1)];
}

function incremented(found: Found, by: number): number {
  if (isMissing(found)) return by;
  if (typeof found !== 'number') throw new Refusal('not-a-number');
  const sum = exactSum(found, by);
  if (sum === undefined) throw new Refusal('inexact');
  return sum;
}

function appended(found: Found, items: readonly Json[]): readonly Json[] {
  if (isMissing(found)) return items;
  if (!isArray(found)) throw new Refusal('not-an-array');
  return [...found, ...items];
}

/** https://www.rfc-editor.org/rfc/rfc7396#section-2 */
function merged(found: Found, patch: JsonObject): JsonObject {
  const members = new Map(isObject(found) ? Object.entries(found) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, isObject(value) ? merged(members.get(name), value) : value);
  }
  return Object.fromEntries(members);
}

function isMissing(found: Found): found is null | undefined {
  return found === undefined || found === null;
}
