import { InvalidInputError } from '@rowlock/core';
import type { CapturePlan } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { type Queryable, query } from '../query.js';
import { tables } from '../schema/tables.js';

/**
 * Checks that the account of the triggers may write jobs. Without that each writer of the table would fail.
 *
 * @param owner Of the function. Null: this user will be.
 * @throws InvalidInputError with the rights that are missing.
 */
export async function checkRights(
  on: Queryable,
  { sql, schema }: Context,
  { name, notify, onError }: CapturePlan,
  owner: string | null,
): Promise<void> {
  const { job, bell, worker, captureLoss } = tables(schema);
  const needed = [schema, job, bell, worker, captureLoss, notify !== 'never', onError === 'note'];
  const [row] = await query<{ owner: string; missing: readonly string[] }>(on, sql.captures.captureRights, [
    owner,
    ...needed,
  ]);
  if (row === undefined || row.missing.length === 0) return;
  throw new InvalidInputError(
    `The capture ${JSON.stringify(name)}: its triggers have the rights of ${JSON.stringify(row.owner)}, which lacks ${row.missing.join(', ')}. Grant these, or let another account apply the capture.`,
  );
}
