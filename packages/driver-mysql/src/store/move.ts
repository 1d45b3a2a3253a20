import { hostname } from 'node:os';
import type { State } from '@rowlock/core';
import { type ClientEvent, type Moved, TRANSITIONS } from '@rowlock/core/driver';
import { change, type MysqlTransaction, query } from '../query.js';
import type { MoveRow } from '../rows.js';
import type { Statements } from '../statements.js';
import type { InTransaction } from './in-transaction.js';

interface Move {
  readonly event: ClientEvent;
  readonly publicId: string;
  /** Null when the number of redrives does not matter. */
  readonly redrives: number | null;
}

/** Applies a client's event to a job, unless a worker holds the job. @throws DriverError */
export async function move(
  on: MysqlTransaction,
  sql: Statements,
  inTransaction: InTransaction,
  { event, publicId, redrives }: Move,
): Promise<Moved> {
  const { from, to } = TRANSITIONS[event];
  const starts = ({ status }: MoveRow): boolean => (from as readonly State[]).includes(status);
  const [found] = await query<MoveRow & { id: string }>(on, sql.find, [redrives, publicId]);
  if (found === undefined) return { outcome: 'missing' };
  // MySQL has no UPDATE that skips locked rows. One transaction therefore locks, checks and changes the row.
  const met = await inTransaction(async (tx) => {
    const [free] = await query<MoveRow>(tx, sql.lockOne, [redrives, found.id]);
    if (free === undefined || !starts(free) || !isMeant(free)) return free ?? null;
    const [crashed = free] =
      to === 'new' ? await query<{ crashes: string }>(tx, sql.countCrashes, [found.id]) : [];
    await change(tx, sql.move, [to, crashed.crashes, to, to, to, to, to, to, hostname(), to, found.id]);
    return 'moved';
  });
  if (met === 'moved') return { outcome: 'moved' };
  const row = met ?? found;
  const held = row.status === 'in-progress' || (met === null && starts(row));
  return held && isMeant(row) && event === 'cancel'
    ? { outcome: 'running', redrives: row.redrives }
    : { outcome: 'illegal', status: row.status };
}

/** With `bigNumberStrings` the number is a text. */
function isMeant({ meant }: MoveRow): boolean {
  return Number(meant) === 1;
}
