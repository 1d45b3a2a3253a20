import { JobNotFoundError } from '@rowlock/core';
import { type Admitted, type FollowersLook, MOST_FOLLOWED } from '@rowlock/core/driver';
import { toText } from '../connection/pipeline/to-text.js';
import type { GivenJob } from '../jobs/given.js';
import { answers, type PostgresTransaction, type Queryable, query } from '../query.js';
import type { Statements } from '../statements.js';

/**
 * Notes for which jobs these ones wait. Returns the public ids of those that have to wait.
 *
 * @throws JobNotFoundError, DriverError
 */
export async function follow(
  on: Queryable,
  sql: Statements,
  given: readonly GivenJob[],
): Promise<ReadonlySet<string>> {
  const edges = given.flatMap(({ job: { after = [], available }, publicId }) =>
    after.map((afterId) => ({ publicId, afterId, available })),
  );
  const [answer] = await answers<{ waiting: readonly string[]; missing: string | null }>(
    on,
    sql.followers.follow,
    [
      toText(edges.map(({ publicId }) => publicId)),
      toText(edges.map(({ afterId }) => afterId)),
      toText(edges.map(({ available }) => ('at' in available ? available.at.getTime() : null))),
      toText(edges.map(({ available }) => ('inMs' in available ? available.inMs : null))),
    ],
  );
  const { waiting = [], missing = null } = answer ?? {};
  if (missing !== null) throw new JobNotFoundError(missing);
  return new Set(waiting);
}

/** Gives back their times to jobs that wait for no other one any more. @throws DriverError */
export async function admit(
  on: PostgresTransaction,
  sql: Statements,
  look: FollowersLook,
): Promise<Admitted> {
  const [row] =
    'after' in look
      ? await query<Admitted & { [column: string]: unknown }>(on, sql.followers.admitAfter, [
          look.after,
          MOST_FOLLOWED,
        ])
      : await query<Admitted & { [column: string]: unknown }>(on, sql.followers.admitBeyond, [
          look.beyond,
          MOST_FOLLOWED,
        ]);
  const { queues = [], last = null, skipped = false } = row ?? {};
  return { queues, last, skipped };
}
