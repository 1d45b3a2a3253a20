import { hostname } from 'node:os';
import type { State } from '@rowlock/core';
import { type ClientEvent, type Moved, TRANSITIONS } from '@rowlock/core/driver';
import { toText } from '../connection/pipeline/to-text.js';
import { answers, type Queryable, textOrNull } from '../query.js';
import type { MoveRow } from '../rows.js';
import type { Statements } from '../statements.js';

interface Move {
  readonly event: ClientEvent;
  readonly publicId: string;
  /** Undefined when the number of redrives does not matter. */
  readonly redrives: number | undefined;
}

/** Applies a client's event to a job, unless a worker holds the job. @throws DriverError */
export async function move(
  on: Queryable,
  sql: Statements,
  { event, publicId, redrives }: Move,
): Promise<Moved> {
  const { from, to } = TRANSITIONS[event];
  const values = [publicId, toText(from), to, hostname(), textOrNull(redrives)];
  const [row] = await answers<MoveRow>(on, sql.move, values);
  if (row === undefined) return { outcome: 'missing' };
  const { status, free, moved } = row;
  if (moved) return { outcome: 'moved' };
  const held = status === 'in-progress' || (!free && (from as readonly State[]).includes(status));
  return held && row.meant && event === 'cancel'
    ? { outcome: 'running', redrives: row.redrives }
    : { outcome: 'illegal', status };
}
