import type { JobCount } from '@rowlock/core/types';

export function number(value: number): string {
  return value.toLocaleString('en');
}

/** `10,000+`: there are more than were counted. */
export function counted({ count, more }: JobCount): string {
  return `${number(count)}${more ? '+' : ''}`;
}

export function jobsIn(count: number): string {
  return `${number(count)} ${count === 1 ? 'job' : 'jobs'}`;
}

export function megabytes(bytes: number): string {
  return `${number(Math.round(bytes / 1_000_000))} MB`;
}

/** A part of a whole as percent: `0.4 %`, `< 0.1 %`. */
export function share(part: number, whole: number): string {
  const percent = (100 * part) / whole;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  return `${percent < 10 ? Math.round(percent * 10) / 10 : Math.round(percent)} %`;
}
