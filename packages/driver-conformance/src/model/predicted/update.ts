import { type Json, type Operation, UpdateRefusedError } from '@rowlock/core';
import { apply, isSettled } from '@rowlock/core/driver';
import type { CommandOf } from '../command.js';
import { isCaller } from '../parts.js';
import type { Result } from '../result.js';
import type { Row } from './job.js';
import type { ModelState } from './state.js';
import { nthHeld, seen } from './transaction.js';

export function update(
  state: ModelState,
  { by, job: place, column, from, operations }: CommandOf<'update'>,
): Result {
  const tx = isCaller(by) ? state.open(by) : undefined;
  const job = state.jobs[place];
  const row = job === undefined ? null : seen(job, tx);
  if (job === undefined || row === null) return 'missing';
  if (!state.isFree(job, tx)) return 'locked';
  if (!from.includes(row.status)) return `illegal: it is ${row.status}`;
  return changed(row, column, operations, (after) => {
    if (tx === undefined) job.row = after;
    else {
      tx.rows.set(job, after);
      tx.locked.add(job);
    }
  });
}

export function updateHeld(state: ModelState, { by, nth, operations }: CommandOf<'updateHeld'>): Result {
  const tx = state.open(by);
  const job = nthHeld(tx, nth);
  const row = job === undefined ? null : seen(job, tx);
  if (job === undefined || row === null) return 'missing';
  if (isSettled(row.status)) return `illegal: it is ${row.status}`;
  tx.hasWritten = true;
  return changed(row, 'metadata', operations, (after) => {
    if (!tx.before.has(job)) tx.before.set(job, row);
    tx.rows.set(job, after);
  });
}

function changed(
  row: Row,
  column: 'metadata' | 'payload',
  operations: readonly Operation[],
  write: (after: Row) => void,
): Result {
  try {
    const json: Json = apply(operations, row[column]);
    write({ ...row, [column]: json });
    return 'updated';
  } catch (error) {
    if (!(error instanceof UpdateRefusedError)) throw error;
    return { refused: error.reason, operation: error.operation };
  }
}
