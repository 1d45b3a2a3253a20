import { type JobFilter, listed, type Page, type TimeRange } from '@rowlock/core/driver';
import { type Fragment, joined, raw, sql } from '../values/fragment.js';
import { type Member, membersOf } from './members.js';
import { pathOf } from './statements/update-json.js';

/** Conditions in a row. Without any it is always true. */
export function all(conditions: readonly Fragment[]): Fragment {
  return conditions.length === 0 ? raw('TRUE') : joined(conditions, ' AND ');
}

/** The conditions of a filter on a row, without those of public ids, of the key and of the status. */
export function conditionsOf(filter: JobFilter): readonly Fragment[] {
  const { created, settled, due, error, payload } = filter;
  return [
    ...ofQueueAndKind(filter),
    ...ofTime('job.created_at', created),
    ...ofTime('job.finished_at', settled),
    ...ofTime('job.available_at', due),
    // To the byte, and to the last blank.
    ...(error?.code === undefined ? [] : [sql`${ofError('$.code')} = CAST(${error.code} AS BINARY)`]),
    ...(error?.text === undefined
      ? []
      : [sql`LOCATE(CAST(${error.text} AS BINARY), ${ofError('$.message')}) > 0`]),
    ...(payload === undefined ? [] : membersOf(payload).map(ofMember)),
  ];
}

/** The conditions that can be told from the row of a waiting job. */
export function ofQueueAndKind({ queue, kind }: Pick<JobFilter, 'queue' | 'kind'>): readonly Fragment[] {
  const kinds = listed(kind);
  return [
    ...(queue === undefined ? [] : [ofQueue(queue)]),
    ...(kinds === undefined ? [] : [sql`job.kind IN (${textsOf(kinds)})`]),
  ];
}

/** One queue is an equality, by which an index of queues is in the order of what follows. */
function ofQueue(queue: string | readonly string[]): Fragment {
  return typeof queue === 'string' ? sql`job.queue = ${queue}` : sql`job.queue IN (${textsOf(queue)})`;
}

function textsOf(values: readonly string[]): Fragment {
  return joined(values.map((each) => sql`${each}`));
}

export function inPage({ before, after = null }: Page): readonly Fragment[] {
  return [
    ...(before === null ? [] : [sql`job.id < ${String(before)}`]),
    ...(after === null ? [] : [sql`job.id > ${String(after)}`]),
  ];
}

function ofTime(column: string, range: TimeRange | undefined): readonly Fragment[] {
  const time = (at: Date): Fragment => sql`'1970-01-01' + INTERVAL ROUND(${at.getTime()} * 1000) MICROSECOND`;
  return [
    ...(range?.from === undefined ? [] : [sql`${raw(column)} >= ${time(range.from)}`]),
    ...(range?.before === undefined ? [] : [sql`${raw(column)} < ${time(range.before)}`]),
  ];
}

function ofError(path: string): Fragment {
  return raw(`CAST(JSON_UNQUOTE(JSON_EXTRACT(job.error, '${path}')) AS BINARY)`);
}

/** JSON_CONTAINS takes an item of an array for the array, and no decimal for a whole number. */
function ofMember({ path, value }: Member): Fragment {
  const found = sql`JSON_EXTRACT(job.payload, ${pathOf(path)})`;
  if (typeof value === 'object' && value !== null) return sql`JSON_TYPE(${found}) = 'OBJECT'`;
  if (typeof value === 'number')
    return sql`(CASE WHEN JSON_TYPE(${found}) IN ('INTEGER', 'UNSIGNED INTEGER', 'DOUBLE', 'DECIMAL')
        THEN CAST(${found} AS DOUBLE) = CAST(${value} AS DOUBLE) ELSE FALSE END)`;
  return sql`(JSON_TYPE(${found}) <> 'ARRAY' AND JSON_CONTAINS(job.payload, ${JSON.stringify(value)}, ${pathOf(path)}))`;
}
