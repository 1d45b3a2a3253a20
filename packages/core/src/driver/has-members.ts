import type { Json } from '../job/json.js';
import { isObject } from '../update/check-operation.js';
import type { Members } from './job-filter.js';

/** Whether JSON has all of these members: the definition, which every database's SQL follows. */
export function hasMembers(json: Json | undefined, members: Members): boolean {
  if (json === undefined || !isObject(json)) return false;
  return Object.entries(members).every(([name, value]) => {
    const found = Object.hasOwn(json, name) ? json[name] : undefined;
    return typeof value === 'object' && value !== null ? hasMembers(found, value) : found === value;
  });
}

/** A value that JSON has at the end of these names. An object stands for any object. */
export interface Member {
  readonly path: readonly string[];
  readonly value: string | number | boolean | null | object;
}

/** The conditions of `hasMembers`, one by one. */
export function membersOf(members: Members, path: readonly string[] = []): readonly Member[] {
  const entries = Object.entries(members);
  if (entries.length === 0) return [{ path, value: {} }];
  return entries.flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? membersOf(value, [...path, name])
      : [{ path: [...path, name], value }],
  );
}
