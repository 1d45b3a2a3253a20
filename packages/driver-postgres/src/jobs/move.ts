import { hostname } from 'node:os';
import type { State } from '@rowlock/core';
import { type ClientEvent, type Moved, TRANSITIONS } from '@rowlock/core/driver';
import { toText } from '../connection/pipeline/to-text.js';
import { answers, type Queryable, textOrNull } from '../query.js';
import type { MoveRow } from '../rows.js';
import type { Statements } from '../statements.js';

interface Move {
  readonly event: ClientEvent;
  readonly publicIds: readonly string[];
  /** Null when the number of redrives does not matter. */
  readonly redrives: number | null;
}

/** Applies a client's event to jobs, except those that a worker holds. The outcomes are in the same order. @throws DriverError */
export async function move(
  on: Queryable,
  sql: Statements,
  { event, publicIds, redrives }: Move,
): Promise<readonly Moved[]> {
  const { from, to } = TRANSITIONS[event];
  const values = [toText(publicIds), toText(from), to, hostname(), textOrNull(redrives)];
  const rows = await answers<MoveRow>(on, sql.jobs.move, values);
  const met = new Map(rows.map((row) => [row.public_id, row]));
  return publicIds.map((publicId) => movedOf(event, met.get(publicId)));
}

function movedOf(event: ClientEvent, row: MoveRow | undefined): Moved {
  if (row === undefined) return { outcome: 'missing' };
  const { from } = TRANSITIONS[event];
  const { status, free, moved } = row;
  if (moved) return { outcome: 'moved' };
  const held = status === 'in-progress' || (!free && (from as readonly State[]).includes(status));
  return held && row.meant && event === 'cancel'
    ? { outcome: 'running', redrives: row.redrives }
    : { outcome: 'illegal', status };
}
