import type { State } from '@rowlock/core';
import { type JobUpdate, refusalIn, type Updated } from '@rowlock/core/driver';
import { toText } from '../connection/pipeline/to-text.js';
import { answers, type Queryable } from '../query.js';
import { updatedJson } from '../statements/update-json.js';
import type { Statements } from '../statements.js';

interface UpdateRow {
  readonly status: State;
  readonly free: boolean;
  readonly updated: boolean;
}

/** Changes one column of a job. @param waits Whether to wait for the job's lock. @throws DriverError, UpdateRefusedError */
export async function update(
  on: Queryable,
  sql: Statements,
  publicId: string,
  { column, operations, from, mostBytes }: JobUpdate,
  waits: boolean,
): Promise<Updated> {
  const { text, given } = updatedJson(`job.${column}`, '$2', operations, mostBytes);
  const statement = sql.update(`${column} = ${text}`, waits);
  const [row] = await answers<UpdateRow>(on, statement, [publicId, given, toText(from)]).catch(
    (error: unknown) => {
      throw refusalIn(error);
    },
  );
  if (row === undefined) return { outcome: 'missing' };
  if (row.updated) return { outcome: 'updated' };
  return row.free ? { outcome: 'illegal', status: row.status } : { outcome: 'locked' };
}
