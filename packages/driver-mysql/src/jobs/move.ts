import { hostname } from 'node:os';
import type { State } from '@rowlock/core';
import { type ClientEvent, type Moved, TRANSITIONS } from '@rowlock/core/driver';
import { change, type MysqlTransaction, query } from '../query.js';
import type { MoveRow } from '../rows.js';
import type { Statements } from '../statements.js';
import { inOrder } from '../values/job-ids.js';
import { list } from '../values/list.js';
import { MOVES } from './given-rows.js';
import type { InTransaction } from './in-transaction.js';
import { type FreeRow, lockJobs } from './lock-jobs.js';

interface Move {
  readonly event: ClientEvent;
  /** Up to 100. */
  readonly publicIds: readonly string[];
  /** Null when the number of redrives does not matter. */
  readonly redrives: number | null;
}

/** Applies a client's event to jobs, except those that a worker holds. The outcomes are in the same order. @throws DriverError */
export async function move(
  on: MysqlTransaction,
  sql: Statements,
  inTransaction: InTransaction,
  { event, publicIds, redrives }: Move,
): Promise<readonly Moved[]> {
  const wanted = list(publicIds);
  const found = await query<FoundRow>(on, sql.jobs.find(wanted.places), [redrives, ...wanted.values]);
  const ids = inOrder(found.map(({ id }) => BigInt(id))).map(String);
  // MySQL has no UPDATE that skips locked rows. One transaction therefore locks, checks and changes the rows.
  const locked =
    ids.length === 0 ? [] : await inTransaction((tx) => moveFree(tx, sql, { event, ids, redrives }));
  const free = new Map(locked.map((row) => [row.id, row]));
  const met = new Map(found.map((row) => [row.public_id, { found: row, free: free.get(row.id) }]));
  return publicIds.map((publicId) => movedOf(event, met.get(publicId)));
}

type FoundRow = MoveRow & { readonly id: string; readonly public_id: string };

/** Moves those of the jobs that are not locked, and may be moved. Returns the rows of all that are not locked, as they were. */
async function moveFree(
  tx: MysqlTransaction,
  sql: Statements,
  {
    event,
    ids,
    redrives,
  }: { readonly event: ClientEvent; readonly ids: readonly string[]; readonly redrives: number | null },
): Promise<readonly FreeRow[]> {
  const { to } = TRANSITIONS[event];
  const free = await lockJobs(tx, sql, ids, redrives);
  const movable = free.filter((row) => isMovable(event, row));
  if (movable.length === 0) return free;
  const counted = list(movable.map(({ id }) => id));
  const crashed =
    to === 'new'
      ? await query<{ id: string; crashes: string }>(
          tx,
          sql.jobs.countCrashes(counted.places),
          counted.values,
        )
      : [];
  const crashes = new Map(crashed.map((row) => [row.id, Number(row.crashes)]));
  const given = MOVES.rows(
    movable.map((row) => ({ id: row.id, crashes: crashes.get(row.id) ?? row.crashes })),
  );
  await change(tx, sql.jobs.move(given.text), [...given.values, to, to, to, to, to, to, to, hostname(), to]);
  return free;
}

function isMovable(event: ClientEvent, row: MoveRow): boolean {
  return starts(event, row) && isMeant(row);
}

function starts(event: ClientEvent, { status }: MoveRow): boolean {
  return (TRANSITIONS[event].from as readonly State[]).includes(status);
}

/** @param met The job as it was found, and as it was locked. It has no lock when another transaction has one. */
function movedOf(
  event: ClientEvent,
  met: { readonly found: MoveRow; readonly free: MoveRow | undefined } | undefined,
): Moved {
  if (met === undefined) return { outcome: 'missing' };
  const { found, free } = met;
  if (free !== undefined && isMovable(event, free)) return { outcome: 'moved' };
  const row = free ?? found;
  const held = row.status === 'in-progress' || (free === undefined && starts(event, row));
  return held && isMeant(row) && event === 'cancel'
    ? { outcome: 'running', redrives: row.redrives }
    : { outcome: 'illegal', status: row.status };
}

/** With `bigNumberStrings` the number is a text. */
function isMeant({ meant }: MoveRow): boolean {
  return Number(meant) === 1;
}
