import { type NewJob, storableJson, storableText } from '@rowlock/core/driver';

/** A new job, and its public id. */
export interface GivenJob {
  readonly job: NewJob;
  readonly publicId: string;
}

/** Rows given to a statement, and the values to send with it. */
export interface GivenRows {
  /** A table for FROM. */
  readonly text: string;
  readonly values: unknown[];
}

type Item = string | number | null;

type Column = readonly [name: string, type: string, value: (given: GivenJob) => Item];

/** The columns that every job has. A value that is the same in all jobs is sent once. */
const ALWAYS: readonly Column[] = [
  ['queue', 'text', ({ job }) => storableText(job.queue)],
  ['kind', 'text', ({ job }) => storableText(job.kind)],
  ['priority', 'smallint', ({ job }) => job.priority],
  ['delay', 'float8', ({ job: { available } }) => ('inMs' in available ? available.inMs : 0)],
  ['max_attempts', 'integer', ({ job }) => job.maxAttempts],
  ['metadata', 'jsonb', ({ job }) => storableJson(job.metadata)],
  ['created_by', 'text', ({ job }) => job.createdBy],
  ['limits', 'text', ({ job }) => storableText(job.limits)],
  ['payload', 'jsonb', ({ job }) => storableJson(job.payload)],
];

/** The columns that a job may lack. A column that all jobs lack is not sent. */
const MAYBE: readonly Column[] = [
  ['key', 'text', ({ job }) => storableText(job.key)],
  ['available_at', 'float8', ({ job: { available } }) => ('at' in available ? available.at.getTime() : null)],
  ['unique_key', 'text', ({ job }) => storableText(job.unique?.key ?? null)],
  ['unique_scope', 'text', ({ job }) => job.unique?.scope ?? null],
];

const ID: Column = ['public_id', 'uuid', ({ publicId }) => publicId];

const COLUMNS = [...ALWAYS, ...MAYBE, ID];
const NAMES = COLUMNS.map(([name]) => name).join(', ');

const ONE = `(SELECT ${COLUMNS.map(([, type], index) => `$${index + 1}::${type}`).join(', ')}, 1) AS given (${NAMES}, place)`;

// The server fills up shorter arrays with null.
const MANY = `(
        SELECT ${ALWAYS.map(([name, type], index) => `coalesce(${name}, ($${index + 1}::${type}[])[1]) AS ${name}`).join(', ')},
               ${[...MAYBE, ID].map(([name]) => name).join(', ')}, place
        FROM unnest(${COLUMNS.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')})
             WITH ORDINALITY AS sent (${NAMES}, place)
      ) AS given`;

/** The number of the first value after those of the rows. */
export const AFTER_JOBS = COLUMNS.length + 1;

/**
 * The longest text that a statement is given, in UTF-16 units. A job by itself may have more.
 * The client could hold fifty times as much in one text. But the server has to answer in time, and keeps several copies of the text.
 */
const LONGEST_STATEMENT = 8_000_000;

/**
 * Jobs as the rows of a table. One job is sent as values, which the server plans in a quarter of a millisecond less.
 * Many jobs are sent as an array for each column. Very long jobs are sent as several tables, in the same order.
 *
 * @param given One or more.
 */
export function newJobs(given: readonly GivenJob[]): readonly GivenRows[] {
  const [one, ...more] = given;
  if (one !== undefined && more.length === 0)
    return [{ text: ONE, values: COLUMNS.map(([, , value]) => value(one)) }];
  const columns = columnsOf(given);
  if (columns === undefined) {
    const half = given.length >> 1;
    return [...newJobs(given.slice(0, half)), ...newJobs(given.slice(half))];
  }
  return [{ text: MANY, values: columns.map(({ type, items }, index) => array(type, short(items, index))) }];
}

/** The items of each column. Undefined when they are too long together. */
function columnsOf(given: readonly GivenJob[]): { type: string; items: Item[] }[] | undefined {
  let left = LONGEST_STATEMENT;
  const columns: { type: string; items: Item[] }[] = [];
  for (const [, type, value] of COLUMNS) {
    const items: Item[] = [];
    for (const each of given) {
      const item = value(each);
      if (typeof item === 'string') left -= item.length;
      if (left < 0) return undefined;
      items.push(item);
    }
    columns.push({ type, items });
  }
  return columns;
}

function short(items: Item[], column: number): Item[] {
  const [first = null] = items;
  const isAlike = (column < ALWAYS.length || first === null) && items.every((item) => item === first);
  return isAlike ? [first] : items;
}

/** An array in Postgres's text format. The client would take three times as long. */
function array(type: string, items: Item[]): string {
  return `{${(type === 'text' || type === 'jsonb' ? items.map(quoted) : items.map(bare)).join(',')}}`;
}

function bare(item: Item): string | number {
  return item ?? 'NULL';
}

function quoted(item: Item): string {
  return item === null ? 'NULL' : `"${String(item).replaceAll(/["\\]/g, '\\$&')}"`;
}
