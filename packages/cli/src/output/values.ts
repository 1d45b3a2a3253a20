import type { JobCount } from '@rowlock/core/types';

/** How values are written for people. */

/** `-` without a number. */
export function number(value: number | null): string {
  return value === null ? '-' : value.toLocaleString('en-US');
}

/** `10,000+` where there may be more. */
export function counted({ count, more }: JobCount): string {
  return `${number(count)}${more ? '+' : ''}`;
}

/** `12 jobs`. */
export function jobs(count: number): string {
  return `${number(count)} ${count === 1 ? 'job' : 'jobs'}`;
}

/** In UTC, to the second. `-` without a time. */
export function time(when: Date | null): string {
  return when === null ? '-' : when.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** `123 MB`. `-` without one. */
export function megabytes(bytes: number | null): string {
  return bytes === null ? '-' : `${number(Math.round(bytes / 1_000_000))} MB`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** A length of time in its largest unit, with one digit behind the point below 10. `-` without one. */
export function lasting(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '-';
  const [unit, length] = UNITS.find(([, each]) => ms >= each) ?? ['ms', 1];
  const value = ms / length;
  return `${value < 10 && unit !== 'ms' ? Number(value.toFixed(1)) : Math.round(value)} ${unit}`;
}

/** JSON on one line, where what a terminal or an editor would interpret is escaped. */
export function json(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
}

/** A character beyond the first 65,536 is two of JSON. */
function escaped(character: string): string {
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return `\\u${units.join('\\u')}`;
}
