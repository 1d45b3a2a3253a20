import type { Value } from '../query.js';

/** One fixed text for each part of a filter. A statement contains only the parts that are set. */
const CONDITIONS = {
  publicId: 'job.public_id = ?',
  queue: 'job.queue = ?',
  kind: 'job.kind = ?',
  key: 'job.`key` = ?',
  status: 'job.status = ?',
  before: 'job.id < ?',
} as const;

/** Parts that are null or undefined are not set. */
export type Filter = { readonly [Name in keyof typeof CONDITIONS]?: string | bigint | null | undefined };

export function conditions(filter: Filter): { where: string; values: Value[] } {
  const names = (Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]).filter(
    (name) => filter[name] != null,
  );
  return {
    where: ['TRUE', ...names.map((name) => CONDITIONS[name])].join(' AND '),
    values: names.map((name) => filter[name] ?? null),
  };
}
