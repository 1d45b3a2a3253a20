import { isOutcome } from './outcome.js';

/** A part of a value: the names and places that lead to it, and its type. */
export interface NotJson {
  readonly path: readonly (string | number)[];
  readonly type: string;
}

/** The deepest nesting of JSON that the databases take. A value that contains itself is deeper. */
const DEEPEST = 100;

/** The first part of a value that is not JSON, or undefined. An undefined member does not count: JSON leaves it out. */
export function notJson(value: unknown, path: NotJson['path'] = []): NotJson | undefined {
  const type = nonJsonType(value, path.length);
  if (type !== undefined) return { path, type };
  if (typeof value !== 'object' || value === null) return;
  const members = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [name, member] of members) {
    if (member === undefined && typeof name === 'string') continue;
    const found = notJson(member, [...path, name]);
    if (found !== undefined) return found;
  }
}

/** The type of a value that is not JSON. Undefined if the value is JSON, or has members to check. */
function nonJsonType(value: unknown, depth: number): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${value}`;
  if (typeof value !== 'object') return typeof value;
  if (isOutcome(value)) return 'Outcome';
  if (depth > DEEPEST) return 'object, which refers to itself or is nested too deeply,';
  if (Array.isArray(value)) return;
  const [, tag] = /^\[object (.*)\]$/.exec(Object.prototype.toString.call(value)) ?? [];
  if (tag === 'Object' && !('toJSON' in value && typeof value.toJSON === 'function')) return;
  return value.constructor?.name ?? tag;
}
