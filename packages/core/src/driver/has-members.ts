import { isObject, type Json } from '../job/json.js';
import type { Members } from './job-filter.js';

/** Whether JSON has all of these members: the definition, which every database's SQL follows. */
export function hasMembers(json: Json | undefined, members: Members): boolean {
  if (json === undefined || !isObject(json)) return false;
  return Object.entries(members).every(([name, value]) => {
    const found = Object.hasOwn(json, name) ? json[name] : undefined;
    return typeof value === 'object' && value !== null ? hasMembers(found, value) : found === value;
  });
}
