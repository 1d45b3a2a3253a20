import type { JobFilter } from '@rowlock/core/driver';
import type { Value } from '../query.js';

/** One fixed text for each part of a filter, so that the optimizer sees only the parts that are set. */
const CONDITIONS = {
  publicId: 'job.public_id = ?',
  queue: 'job.queue = ?',
  kind: 'job.kind = ?',
  key: 'job.`key` = ?',
  status: 'job.status = ?',
  before: 'job.id < ?',
} as const;

export function conditions(filter: JobFilter & { readonly before?: bigint | null }): {
  where: string;
  values: Value[];
} {
  const names = (Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]).filter(
    (name) => filter[name] != null,
  );
  return {
    where: ['TRUE', ...names.map((name) => CONDITIONS[name])].join(' AND '),
    values: names.map((name) => filter[name] ?? null),
  };
}
