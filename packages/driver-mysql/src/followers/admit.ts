import { JobNotFoundError, type State } from '@rowlock/core';
import {
  type Admitted,
  apart,
  despiteDeadlocks,
  type FollowersLook,
  isSettled,
  MOST_FOLLOWED,
  NEVER,
} from '@rowlock/core/driver';
import { FOLLOWERS, PUBLIC_IDS, TIMES } from '../jobs/given-rows.js';
import type { InTransaction } from '../jobs/in-transaction.js';
import { inPackets } from '../jobs/packets.js';
import type { PendingJob } from '../jobs/pending-job.js';
import type { Scope } from '../jobs/scope.js';
import { change, type MysqlTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import { inOrder } from '../values/job-ids.js';
import { inParts, list } from '../values/list.js';

/**
 * Finds out which of these jobs have to wait for others: `waits` is their own time then, and the row's does not come.
 *
 * @throws JobNotFoundError, DriverError
 */
export async function following(
  sql: Statements,
  scope: Scope,
  pending: readonly PendingJob[],
): Promise<readonly PendingJob[]> {
  const followed = [...new Set(pending.flatMap(({ after }) => after))];
  const states = await statesOf(sql, scope, followed);
  const outstanding = new Set(followed.filter((publicId) => isOutstanding(states, publicId)));
  return pending.map((job) => {
    if (!job.after.some((publicId) => outstanding.has(publicId))) return job;
    const { available_at, delay } = job.row;
    const row = { ...job.row, available_at: NEVER.getTime(), delay: null };
    return { ...job, row, waits: { available_at, delay } };
  });
}

/** Notes for which jobs these ones wait. @throws DriverError */
export async function follow(
  sql: Statements,
  on: MysqlTransaction,
  pending: readonly PendingJob[],
): Promise<void> {
  const edges = pending.flatMap(({ publicId, after, waits }) =>
    waits === null ? [] : after.map((after_id) => ({ public_id: publicId, after_id, ...waits })),
  );
  for (const packet of inPackets(edges)) {
    const { text, values } = FOLLOWERS.rows(packet);
    await change(on, sql.followers.follow(text), values);
  }
}

/** @throws JobNotFoundError */
function isOutstanding(states: ReadonlyMap<string, State>, publicId: string): boolean {
  const state = states.get(publicId);
  if (state === undefined) throw new JobNotFoundError(publicId);
  return !isSettled(state);
}

/** As others see these jobs, or else as the transaction does. Its snapshot may be old, and it may have inserted them. */
async function statesOf(
  sql: Statements,
  { on, outside }: Scope,
  publicIds: readonly string[],
): Promise<ReadonlyMap<string, State>> {
  const states = new Map<string, State>();
  for (const from of on === outside ? [on] : [on, outside])
    for (const part of inParts(publicIds)) {
      const { places, values } = list(part);
      const rows = await query<{ public_id: string; status: State }>(from, sql.jobs.states(places), values);
      for (const { public_id, status } of rows) states.set(public_id, status);
    }
  return states;
}

/**
 * Gives back their times to jobs that wait for no other one any more. If the database refuses that of some job, lets the others
 * go apart.
 *
 * @throws DriverError
 */
export async function admit(
  sql: Statements,
  on: MysqlTransaction,
  inTransaction: InTransaction,
  look: FollowersLook,
  except: readonly string[],
): Promise<Admitted> {
  const candidates = await candidatesOf(sql, on, look);
  const last = 'beyond' in look && candidates.length === MOST_FOLLOWED ? (candidates.at(-1) ?? null) : null;
  if (candidates.length === 0) return { queues: [], last, skipped: false, refused: [] };
  const wanted = list(candidates);
  const waiting = new Set(await publicIds(on, sql.followers.waiting(wanted.places), wanted.values));
  const ready = candidates.filter((publicId) => !waiting.has(publicId) && !except.includes(publicId));
  const { answers, refused } = await apart(ready, (some) =>
    despiteDeadlocks(() => inTransaction((tx) => admitReady(sql, tx, some))),
  );
  return {
    queues: [...new Set(answers.flatMap(({ queues }) => queues))],
    last,
    skipped: answers.some(({ skipped }) => skipped),
    refused,
  };
}

async function candidatesOf(
  sql: Statements,
  on: MysqlTransaction,
  look: FollowersLook,
): Promise<readonly string[]> {
  if ('beyond' in look) return publicIds(on, sql.followers.followersBeyond, [look.beyond, MOST_FOLLOWED]);
  const after = list(look.after);
  return publicIds(on, sql.followers.followersOf(after.places), [...after.values, MOST_FOLLOWED]);
}

async function admitReady(
  sql: Statements,
  tx: MysqlTransaction,
  ready: readonly string[],
): Promise<Pick<Admitted, 'queues' | 'skipped'>> {
  const wanted = list(ready);
  const found = await query<{ id: string; public_id: string }>(
    tx,
    sql.followers.findFollowers(wanted.places),
    wanted.values,
  );
  const ids = list(inOrder(found.map(({ id }) => BigInt(id))).map(String));
  const free =
    found.length === 0 ? [] : await query<LockedRow>(tx, sql.followers.lockFollowers(ids.places), ids.values);
  const times = new Map(
    (await query<TimeRow>(tx, sql.followers.timesOf(wanted.places), wanted.values)).map((row) => [
      row.public_id,
      row.available_at,
    ]),
  );
  const admitted = free.flatMap(({ id, public_id, queue, waits }) => {
    const available_at = times.get(public_id);
    return Number(waits) === 1 && available_at !== undefined ? [{ id, available_at, queue }] : [];
  });
  if (admitted.length > 0) {
    const given = TIMES.rows(admitted);
    await change(tx, sql.followers.admit(given.text), given.values);
  }
  const known = new Set(found.map(({ public_id }) => public_id));
  const over = [
    ...free.map(({ public_id }) => public_id),
    ...ready.filter((publicId) => !known.has(publicId)),
  ];
  if (over.length > 0) {
    const given = PUBLIC_IDS.rows(over.map((public_id) => ({ public_id })));
    await change(tx, sql.followers.forgetFollowers(given.text), given.values);
  }
  const queues = [...new Set(admitted.map(({ queue }) => queue))];
  return { queues, skipped: free.length < found.length };
}

interface LockedRow {
  readonly id: string;
  readonly public_id: string;
  readonly queue: string;
  readonly waits: number | string;
}

interface TimeRow {
  readonly public_id: string;
  readonly available_at: string;
}

async function publicIds(
  on: MysqlTransaction,
  text: string,
  values: readonly (string | number | null)[],
): Promise<readonly string[]> {
  return (await query<{ public_id: string }>(on, text, values)).map(({ public_id }) => public_id);
}
