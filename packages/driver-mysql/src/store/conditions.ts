import type { Value } from '../query.js';
import { list } from '../values/list.js';

/** One fixed text for each part of a filter. A statement contains only the parts that are set. */
const CONDITIONS = {
  queue: 'job.queue = ?',
  kind: 'job.kind = ?',
  key: 'job.`key` = ?',
  status: 'job.status = ?',
  before: 'job.id < ?',
} as const;

/** Parts that are null or undefined are not set. */
export type Filter = { readonly [Name in keyof typeof CONDITIONS]?: string | bigint | null | undefined } & {
  readonly publicIds?: readonly string[] | undefined;
};

export function conditions(filter: Filter): { where: string; values: Value[] } {
  const names = (Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]).filter(
    (name) => filter[name] != null,
  );
  const ids = filter.publicIds && list(filter.publicIds);
  return {
    where: [
      ids === undefined ? 'TRUE' : `job.public_id IN (${ids.places})`,
      ...names.map((name) => CONDITIONS[name]),
    ].join(' AND '),
    values: [...(ids?.values ?? []), ...names.map((name) => filter[name] ?? null)],
  };
}
