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
