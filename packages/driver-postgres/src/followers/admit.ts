import { JobNotFoundError } from '@rowlock/core';
import {
  type Admitted,
  apart,
  despiteDeadlocks,
  type FollowersLook,
  MOST_FOLLOWED,
  mayBeOfOne,
} from '@rowlock/core/driver';
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

type AdmittedRow = Omit<Admitted, 'refused'> & { [column: string]: unknown };

/**
 * Gives back their times to jobs that wait for no other one any more. If the database refuses that of some job, lets the others
 * go apart.
 *
 * @throws DriverError
 */
export async function admit(
  on: PostgresTransaction,
  { followers: sql }: Statements,
  look: FollowersLook,
  except: readonly string[],
): Promise<Admitted> {
  const [all, find, of] =
    'after' in look
      ? [sql.admitAfter, sql.findReadyAfter, look.after]
      : [sql.admitBeyond, sql.findReadyBeyond, look.beyond];
  const send = async (text: string, ...values: unknown[]): Promise<Admitted> => {
    const [row] = await despiteDeadlocks(() => query<AdmittedRow>(on, text, values));
    const { queues = [], last = null, skipped = false } = row ?? {};
    return { queues, last, skipped, refused: [] };
  };
  if (except.length === 0) {
    try {
      return await send(all, of, MOST_FOLLOWED);
    } catch (error) {
      if (!mayBeOfOne(error)) throw error;
    }
  }
  const [found] = await query<{ ready: readonly string[]; last: string | null }>(on, find, [
    of,
    MOST_FOLLOWED,
    except,
  ]);
  const { answers, refused } = await apart(found?.ready ?? [], (some) => send(sql.admitSome, some));
  return {
    queues: [...new Set(answers.flatMap(({ queues }) => queues))],
    last: found?.last ?? null,
    skipped: answers.some(({ skipped }) => skipped),
    refused,
  };
}
