import type { RunRef } from '@rowlock/core/driver';
import type { Value } from './query.js';

/** The types of columns in JSON_TABLE. What is too long for the table is to be refused there, and not cut here. */
type Type = 'CHAR(36)' | 'VARCHAR(1000)' | 'LONGTEXT' | 'INT' | 'BIGINT' | 'DOUBLE';

/** In UTF-16 units. A server takes a placeholder in a list of columns for a text of 64 KiB, and cuts what is longer. */
const LONGEST_PLACEHOLDER = 16_000;

/** Rows given to a statement, and the values to send with it. */
export interface GivenRows {
  /** Stands in FROM, as a table. */
  readonly text: string;
  readonly values: readonly Value[];
}

/**
 * A table of the rows that a statement is given: many as one JSON text, one as placeholders, which costs a server a tenth of a
 * millisecond less. `place` is their order. Of many rows, what is alike in all is a placeholder, and the rest an array for each:
 * for 500 settlements the server took 16 ms that way, 17 with arrays of everything and 24 with objects, which took the
 * client twice as long too; rows of placeholders took the client three times as long.
 */
class Given<Column extends string> {
  readonly #name: string;
  readonly #columns: readonly (readonly [Column, Type])[];

  constructor(name: string, columns: readonly (readonly [Column, Type])[]) {
    this.#name = name;
    this.#columns = columns;
  }

  /** @param rows One or more. */
  rows(rows: readonly Readonly<Record<Column, Value>>[]): GivenRows {
    const [first, ...more] = rows;
    const alike: Value[] = [];
    const many: (readonly [Column, Type])[] = [];
    const selected = this.#columns.map(([column, type]) => {
      const value = first?.[column] ?? null;
      if (isShort(value) && more.every((row) => row[column] === value)) {
        alike.push(value);
        // A number that is sent as text would be compared without its last digits.
        return `${type === 'BIGINT' ? 'CAST(? AS SIGNED)' : '?'} AS ${column}`;
      }
      many.push([column, type]);
      return column;
    });
    if (many.length === 0 && more.length === 0)
      return { text: `(SELECT 1 AS place, ${selected.join(', ')}) AS ${this.#name}`, values: alike };
    const columns = many.map(
      ([column, type], index) => `${column} ${type} PATH '$[${index}]' ERROR ON ERROR`,
    );
    const table = `JSON_TABLE(?, '$[*]' COLUMNS (${['place FOR ORDINALITY', ...columns].join(', ')})) AS many`;
    return {
      text: `(SELECT place, ${selected.join(', ')} FROM ${table}) AS ${this.#name}`,
      values: [...alike, JSON.stringify(rows.map((row) => many.map(([column]) => row[column])))],
    };
  }
}

/**
 * How much of text a statement is given at most, in UTF-16 units: of JSON in JSON each takes up to 3 bytes, so that a statement stays
 * below the 4 MB that the smallest servers take. A job by itself does too, as it has 1 MB at most.
 */
const LONGEST_STATEMENT = 1_000_000;

/** What a row takes beside its texts. */
const LEAST_ROW = 100;

/** Rows that one statement each can be given, in the same order: a server refuses what is longer than its `max_allowed_packet`. */
export function inPackets<Row extends object>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const packets: Row[][] = [];
  let left = 0;
  for (const row of rows) {
    const length = lengthOf(row);
    left -= length;
    if (left < 0) {
      packets.push([]);
      left = LONGEST_STATEMENT - length;
    }
    packets.at(-1)?.push(row);
  }
  return packets;
}

function lengthOf(row: object): number {
  let length = LEAST_ROW;
  for (const value of Object.values(row)) if (typeof value === 'string') length += value.length;
  return length;
}

function isShort(value: Value): boolean {
  return typeof value !== 'string' || value.length <= LONGEST_PLACEHOLDER;
}

export const NEW_JOBS = new Given('given', [
  ['public_id', 'CHAR(36)'],
  ['queue', 'VARCHAR(1000)'],
  ['kind', 'VARCHAR(1000)'],
  ['job_key', 'VARCHAR(1000)'],
  ['payload', 'LONGTEXT'],
  ['priority', 'INT'],
  ['available_at', 'DOUBLE'],
  ['delay', 'DOUBLE'],
  ['max_attempts', 'INT'],
  ['unique_key', 'VARCHAR(1000)'],
  ['unique_scope', 'VARCHAR(1000)'],
  ['metadata', 'LONGTEXT'],
  ['created_by', 'VARCHAR(1000)'],
]);

export const KEYS = new Given('given', [['entity', 'VARCHAR(1000)']]);

const RUNS = new Given('given', [
  ['process_id', 'CHAR(36)'],
  ['job_id', 'BIGINT'],
  ['worker_id', 'BIGINT'],
]);

/** The records of runs: one for each of their jobs. */
export function recordsOf(runs: readonly (RunRef & { readonly workerId?: string })[]): GivenRows {
  return RUNS.rows(
    runs.flatMap(({ runId, workerId, jobs }) =>
      jobs.map((id) => ({ process_id: runId, job_id: String(id), worker_id: workerId ?? null })),
    ),
  );
}

export const ENDINGS = new Given('ending', [
  ['id', 'BIGINT'],
  ['process_id', 'CHAR(36)'],
  ['event', 'VARCHAR(1000)'],
  ['status', 'VARCHAR(1000)'],
  ['attempt', 'INT'],
  ['crashes', 'INT'],
  ['delay', 'DOUBLE'],
  ['took', 'DOUBLE'],
  ['output', 'LONGTEXT'],
  ['error', 'LONGTEXT'],
  ['settled_by', 'VARCHAR(1000)'],
]);
