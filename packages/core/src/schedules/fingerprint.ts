import { createHash } from 'node:crypto';
import type { SchedulePlan } from '../driver/schedule-store.js';

/** The same for equal plans, whatever the order of their members. */
export function fingerprintOf(plan: SchedulePlan): string {
  return createHash('sha256').update(JSON.stringify(plan, inOrder)).digest('base64url');
}

export function isSame(one: object, other: object): boolean {
  return JSON.stringify(one, inOrder) === JSON.stringify(other, inOrder);
}

function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
