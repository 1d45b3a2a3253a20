import { createHash } from 'node:crypto';
import type { CapturePlan } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type MysqlTransaction, query, type Value } from '../query.js';
import { placeOf } from './table.js';

/** What a check reads of a captured table, from the catalog's tables. Two names stand for a table: `?`, its schema, and `?`. */
const PARTS: readonly (readonly [from: string, columns: readonly string[], condition: string])[] = [
  ['TABLES', ['TABLE_TYPE', 'ENGINE', 'CREATE_TIME'], 'TABLE_SCHEMA = ? AND TABLE_NAME = ?'],
  [
    'COLUMNS',
    [
      ...['COLUMN_NAME', 'COLUMN_TYPE', 'IS_NULLABLE', 'ORDINAL_POSITION'],
      ...['CHARACTER_SET_NAME', 'COLLATION_NAME'],
    ],
    'TABLE_SCHEMA = ? AND TABLE_NAME = ?',
  ],
  [
    'STATISTICS',
    ['INDEX_NAME', 'SEQ_IN_INDEX', 'COLUMN_NAME', 'SUB_PART', 'NON_UNIQUE'],
    'TABLE_SCHEMA = ? AND TABLE_NAME = ?',
  ],
  [
    'TRIGGERS',
    ['TRIGGER_NAME', 'EVENT_MANIPULATION', 'ACTION_TIMING', 'ACTION_STATEMENT', 'DEFINER', 'CREATED'],
    'EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE = ?',
  ],
];

/** The rights of this account. */
const RIGHTS: readonly (readonly [from: string, columns: readonly string[]])[] = [
  ['USER_PRIVILEGES', ['GRANTEE', 'PRIVILEGE_TYPE']],
  ['SCHEMA_PRIVILEGES', ['GRANTEE', 'TABLE_SCHEMA', 'PRIVILEGE_TYPE']],
  ['TABLE_PRIVILEGES', ['GRANTEE', 'TABLE_SCHEMA', 'TABLE_NAME', 'PRIVILEGE_TYPE']],
];

/** A text for each capture, by one statement. */
export async function statesOf(
  on: MysqlTransaction,
  { sql, schema }: Context,
  captures: readonly CapturePlan[],
): Promise<readonly string[]> {
  const values: Value[] = [];
  const selects = captures.flatMap((plan, place) => {
    const losses: string[] = [];
    for (const _ of PARTS) values.push(...placeOf(plan, schema));
    if (plan.onError === 'note') {
      losses.push(sql.captures.lossesAsState(String(place)));
      values.push(plan.name);
    }
    return [
      ...PARTS.map(([from, columns, condition]) => `${selected(place, from, columns)} WHERE ${condition}`),
      ...losses,
    ];
  });
  const rights = RIGHTS.map(([from, columns]) => selected(-1, from, columns));
  const rows = await query<{ place: number | string; part: string }>(
    on,
    [...selects, ...rights].join('\nUNION ALL '),
    values,
  );
  const partsOf = (place: number): readonly string[] =>
    rows.filter((row) => Number(row.place) === place).map(({ part }) => part);
  const ofAll = partsOf(-1);
  return captures.map((_, place) => {
    const parts = [...ofAll, ...partsOf(place)].sort();
    return createHash('sha256').update(parts.join()).digest('hex');
  });
}

/** As bytes, because the catalog's columns have collations that do not mix. */
function selected(place: number, from: string, columns: readonly string[]): string {
  const texts = columns.map((column) => `IFNULL(CAST(${column} AS BINARY), '')`);
  return `SELECT ${place} AS place, SHA2(CONCAT_WS('/', '${from}', ${texts.join(', ')}), 256) AS part FROM information_schema.${from}`;
}
