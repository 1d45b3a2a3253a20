import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Capture } from './capture.js';

/** Columns and their values. Each value is text, as the database writes it, in UTC. */
export type CapturedRow<Column extends string> = { readonly [Name in Column]: string | null };

/** The columns that identify a row. */
export type CapturedId<Column extends string> = { readonly [Name in Column]: string };

/** The payload of a captured job. */
export type CapturedChange<Name extends string, Id extends string, Column extends string> =
  | RowChange<Name, Id, Column>
  | BulkChange<Name, Id>;

/** The change of one row. */
export interface RowChange<Name extends string, Id extends string, Column extends string> {
  /** The name of the capture. */
  readonly capture: Name;
  /** `backfill`: the row was there before the capture. */
  readonly op: 'insert' | 'update' | 'delete' | 'backfill';
  readonly id: CapturedId<Id>;
  /**
   * The chosen columns before the change. Null if none are chosen, if there was no row with this `id`, and if all values
   * together have more than 256 KiB.
   */
  readonly old: CapturedRow<Column> | null;
  /** The same after the change. */
  readonly new: CapturedRow<Column> | null;
}

/** Much of the table changed. The job has no key. */
export interface BulkChange<Name extends string, Id extends string> {
  readonly capture: Name;
  readonly op: 'bulk';
  /** What the statement was. */
  readonly of: 'insert' | 'update' | 'delete' | 'truncate';
  /** How many rows this job is about. Null if that is not known. */
  readonly rows: number | null;
  /** The rows. Null: the job names none, and any row may have changed. */
  readonly ids: readonly CapturedId<Id>[] | null;
}

/** The payload of a capture's jobs. */
export type ChangeOf<Captured> =
  Captured extends Capture<infer Name, infer Id, infer Column> ? CapturedChange<Name, Id, Column> : never;

/** The schema of the payloads of these captures. It adds the nulls that triggers leave out. */
export function changeSchema<Captured extends Capture>(
  captures: readonly Captured[],
): StandardSchemaV1<ChangeOf<Captured>, ChangeOf<Captured>> {
  const known = new Map<string, readonly string[]>(captures.map(({ name, plan }) => [name, plan.id]));
  return {
    '~standard': {
      version: 1,
      vendor: VENDOR,
      validate: (value) => {
        const { capture, op, id, ids = null, of, rows = null, old = null, new: now = null } = Object(value);
        const columns = known.get(capture);
        if (columns === undefined)
          return refused(['capture'], `must be one of ${[...known.keys()].join(', ')}`);
        if (op === 'bulk') {
          if (!BULKS.includes(of)) return refused(['of'], `must be one of ${BULKS.join(', ')}`);
          if (ids !== null && !(Array.isArray(ids) && ids.every((each) => hasAll(each, columns))))
            return refused(['ids'], `must be a list of { ${columns.join(', ')} }, all text`);
          return { value: Object({ capture, op, of, rows, ids }) };
        }
        if (!OPS.includes(op)) return refused(['op'], `must be one of ${OPS.join(', ')}, bulk`);
        if (!hasAll(id, columns)) return refused(['id'], `must be { ${columns.join(', ')} }, all text`);
        return { value: Object({ capture, op, id, old, new: now }) };
      },
    },
  };
}

/** Whether a schema is one of captured changes. */
export function isChangeSchema(schema: unknown): boolean {
  return Object(Object(schema)['~standard']).vendor === VENDOR;
}

const VENDOR = 'rowlock.captures';

const OPS: readonly unknown[] = ['insert', 'update', 'delete', 'backfill'];

const BULKS: readonly unknown[] = ['insert', 'update', 'delete', 'truncate'];

function hasAll(id: unknown, columns: readonly string[]): boolean {
  return columns.every((column) => typeof Object(id)[column] === 'string');
}

function refused(path: readonly string[], message: string): StandardSchemaV1.FailureResult {
  return { issues: [{ path, message }] };
}
