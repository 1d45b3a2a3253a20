import { despiteDeadlocks, type Expiry, MOST_EXPIRED } from '@rowlock/core/driver';
import { toText } from '../connection/pipeline/to-text.js';
import type { GivenJob } from '../jobs/given.js';
import { answers, type PostgresTransaction, type Queryable, query } from '../query.js';
import type { Statements } from '../statements.js';

/** Notes when these jobs are of no use any more. @throws DriverError */
export async function noteExpiries(
  on: Queryable,
  sql: Statements,
  given: readonly GivenJob[],
): Promise<void> {
  const times = given.flatMap(({ publicId, job: { expires } }) =>
    expires === undefined ? [] : [{ publicId, expires }],
  );
  await answers(on, sql.expiry.note, [
    toText(times.map(({ publicId }) => publicId)),
    toText(times.map(({ expires }) => ('at' in expires ? expires.at.getTime() : null))),
    toText(times.map(({ expires }) => ('inMs' in expires ? expires.inMs : null))),
  ]);
}

export function expiryOf(on: PostgresTransaction, { expiry: sql }: Statements): Expiry {
  const publicIds = async (text: string, ...values: unknown[]): Promise<readonly string[]> =>
    (await query<{ public_id: string }>(on, text, values)).map(({ public_id }) => public_id);
  return {
    over: (look) =>
      'of' in look ? publicIds(sql.overOf, look.of) : publicIds(sql.over, look.except, MOST_EXPIRED),
    cancel: (ids, error, by) => despiteDeadlocks(() => publicIds(sql.cancel, ids, JSON.stringify(error), by)),
  };
}
