import { EXACT, REFUSED, type RefusalReason } from '@rowlock/core/driver';
import { type Fragment, joined, raw, sql } from '../../values/fragment.js';
import type { Step } from '../json-steps.js';

/** MariaDB's functions return NULL for JSON of more levels, and JSON_VALID 0. */
const LEVELS = 32;

/** The types of JSON_TYPE, and that of a value that MariaDB does not extract: a name that leads to it is spelled in another way in the stored text. */
const KINDS = {
  OBJECT: raw("'OBJECT'"),
  ARRAY: raw("'ARRAY'"),
  NULL: raw("'NULL'"),
  HIDDEN: raw("'HIDDEN'"),
} as const;

type Kind = keyof typeof KINDS;

const NUMBERS = raw("('INTEGER', 'UNSIGNED INTEGER', 'DOUBLE', 'DECIMAL')");

/** A change of a column by one step. */
interface Change {
  readonly column: Fragment;
  readonly step: Step;
  /** The place of the step. */
  readonly path: string;
  /** The value that is there. */
  readonly here: Fragment;
  /** Its type by JSON_TYPE, or `HIDDEN`. A missing value has the type of null. */
  readonly kind: Fragment;
}

/**
 * Assignments that change a JSON column step by step. An UPDATE of one table assigns from left to right, so each
 * assignment finds the value that the one before has left. A nest of functions would have each one several times, and
 * so grow by a factor with each step.
 */
export function assignmentsOf(column: Fragment, steps: readonly Step[]): Fragment {
  const values = [
    ...steps.slice(0, 1).map((step) => readable(column, step)),
    ...steps.flatMap((step) => [...readableValue(column, step), changed(column, step)]),
  ];
  return joined(values.map((value) => sql`${column} = ${value}`));
}

/** Refuses JSON that the server cannot read. Its functions would take it for missing. */
function readable(column: Fragment, step: Step): Fragment {
  return sql`CASE WHEN COALESCE(JSON_VALID(${column}), TRUE) THEN ${column} ELSE ${refusal(step, 'unreadable')} END`;
}

/** The same for the value of a step, in its place. */
function readableValue(column: Fragment, step: Step): readonly Fragment[] {
  const value = 'value' in step ? step.value : 'items' in step ? step.items : 'patch' in step && step.patch;
  const text = `${'['.repeat(step.at.length)}${JSON.stringify(value)}${']'.repeat(step.at.length)}`;
  if (text.length < 2 * (LEVELS - 1)) return [];
  return [sql`CASE WHEN JSON_VALID(${text}) THEN ${column} ELSE ${refusal(step, 'unreadable')} END`];
}

function changed(column: Fragment, step: Step): Fragment {
  const path = pathOf(step.at);
  const here = sql`JSON_EXTRACT(${column}, ${path})`;
  // JSON_LENGTH finds what JSON_EXTRACT does not.
  const kind = sql`COALESCE(JSON_TYPE(${here}), IF(JSON_LENGTH(${column}, ${path}) IS NULL, ${KINDS.NULL}, ${KINDS.HIDDEN}))`;
  const change: Change = { column, step, path, here, kind };
  switch (step.do) {
    case 'set':
      return put(change, json(step.value));
    case 'merge':
      return sql`CASE ${kind} WHEN ${KINDS.HIDDEN} THEN ${refusal(step, 'unreadable')} ELSE ${put(change, sql`JSON_MERGE_PATCH(COALESCE(${here}, JSON_OBJECT()), ${json(step.patch)})`)} END`;
    case 'append':
      return byKind(change, 'not-an-array', {
        ARRAY: put(change, sql`JSON_MERGE_PRESERVE(${here}, ${json(step.items)})`),
        NULL: put(change, json(step.items)),
      });
    case 'object':
      return byKind(change, 'not-an-object', { OBJECT: column, NULL: put(change, sql`JSON_OBJECT()`) });
    case 'maybe-object':
      return byKind(change, 'not-an-object', { OBJECT: column, NULL: column });
    case 'maybe-array':
      return byKind(change, 'not-an-array', { ARRAY: column, NULL: column });
    case 'item':
      return byKind(change, 'not-an-array', {
        ARRAY: sql`CASE WHEN JSON_LENGTH(${column}, ${path}) > ${step.index} THEN ${column} ELSE ${refusal(step, 'no-item')} END`,
        NULL: refusal(step, 'no-item'),
      });
    case 'remove':
      return removed(column, step.at);
    case 'increment':
      return incremented(change, step.by);
    case 'limit':
      return sql`CASE WHEN LENGTH(${column}) <= ${step.bytes} THEN ${column} ELSE ${refusal(step, 'too-large')} END`;
  }
}

function byKind(
  { kind, step }: Change,
  otherwise: RefusalReason,
  cases: { readonly [Name in Kind]?: Fragment },
): Fragment {
  const hidden = sql`WHEN ${KINDS.HIDDEN} THEN ${refusal(step, 'unreadable')}`;
  const whens = (['OBJECT', 'ARRAY', 'NULL'] as const).flatMap((name) => {
    const value = cases[name];
    return value === undefined ? [] : [sql`WHEN ${KINDS[name]} THEN ${value}`];
  });
  return sql`CASE ${kind} ${joined([...whens, hidden], ' ')} ELSE ${refusal(step, otherwise)} END`;
}

function put({ column, step, path }: Change, value: Fragment): Fragment {
  return step.at.length === 0 ? value : sql`JSON_SET(${column}, ${path}, ${value})`;
}

/** A path finds an item in a value that is no array, too: that value itself. */
function removed(column: Fragment, at: Step['at']): Fragment {
  const container = typeof at.at(-1) === 'number' ? KINDS.ARRAY : KINDS.OBJECT;
  const kind = sql`JSON_TYPE(JSON_EXTRACT(${column}, ${pathOf(at.slice(0, -1))}))`;
  return sql`CASE WHEN ${kind} = ${container} THEN JSON_REMOVE(${column}, ${pathOf(at)}) ELSE ${column} END`;
}

/** In doubles, as in JavaScript: `exactSum` of core has the reasons. A number becomes JSON by its text, in which a whole one has no decimal places. */
function incremented(change: Change, by: number): Fragment {
  const { here, kind, step } = change;
  const found = sql`CAST(${here} AS DOUBLE)`;
  const sum = sql`(${found} + CAST(${by} AS DOUBLE))`;
  const whole = Number.isInteger(by)
    ? sql`WHEN ${found} = ROUND(${found}) THEN CASE
            WHEN GREATEST(ABS(${found}), ABS(${sum})) <= ${EXACT.mostWhole}
            THEN ${put(change, sql`JSON_EXTRACT(CAST(CAST(${sum} AS SIGNED) AS CHAR), '$')`)}
            ELSE ${refusal(step, 'inexact')} END`
    : sql``;
  return sql`CASE
          WHEN ${kind} = ${KINDS.NULL} THEN ${put(change, json(by))}
          WHEN ${kind} = ${KINDS.HIDDEN} THEN ${refusal(step, 'unreadable')}
          WHEN ${kind} NOT IN ${NUMBERS} THEN ${refusal(step, 'not-a-number')}
          ${whole}
          WHEN ${found} = ROUND(${found}, ${EXACT.decimalPlaces}) AND ABS(${sum}) < ${EXACT.belowDecimal}
          THEN ${put(change, sql`JSON_EXTRACT(CAST(ROUND(${sum}, ${EXACT.decimalPlaces}) AS CHAR), '$')`)}
          ELSE ${refusal(step, 'inexact')} END`;
}

/** A text as JSON. MariaDB has no CAST to JSON. */
function json(value: unknown): Fragment {
  return sql`JSON_EXTRACT(${JSON.stringify(value)}, '$')`;
}

/**
 * Fails with an error that quotes a text, in each mode of the session: a lock's name has at most 64 characters on MySQL,
 * and 192 on MariaDB. The array makes the expression JSON.
 */
function refusal({ operation }: Step, reason: RefusalReason): Fragment {
  return sql`JSON_ARRAY(IS_FREE_LOCK(CONCAT(${`${REFUSED}${operation} ${reason}`}, REPEAT(' ', 200))))`;
}

/** A quoted name in a path is a text in JSON. MariaDB takes a hyphen at its beginning for an index from the end. */
export function pathOf(at: Step['at']): string {
  const segments = at.map((segment) =>
    typeof segment === 'number' ? `[${segment}]` : `.${JSON.stringify(segment).replace(/^"-/, '"\\u002d')}`,
  );
  return `$${segments.join('')}`;
}
