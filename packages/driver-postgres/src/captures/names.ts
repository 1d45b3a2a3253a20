import { createHash } from 'node:crypto';
import { identifier } from '../identifier.js';

/** Postgres cuts a longer name. */
const LONGEST_BYTES = 63;

/** What triggers of rows fire for. `move`: ahead of an UPDATE that may move the row to another partition. */
export type RowOperation = 'insert' | 'update' | 'delete' | 'move' | 'moved_from' | 'moved_to';

export type Operation = RowOperation | 'truncate';

/** The longest of them. Names are shortened for it, so that all triggers of a capture begin alike and have their order. */
const LONGEST_OPERATION: Operation = 'moved_from';

/** The function of a capture, in Rowlock's own schema. */
export function functionName(capture: string): string {
  return `capture_${fitting(capture, (name) => `capture_${name}`)}`;
}

/** A trigger of a capture. The schema is in the name, as two Rowlocks may capture one table. */
export function triggerName(schema: string, capture: string, operation: Operation): string {
  const prefix = fitting(`${schema}_capture_${capture}`, (name) => `${name}_${LONGEST_OPERATION}`);
  // Behind the table's other triggers, which may move the row themselves.
  return operation === 'move' ? `zz_${prefix}_move` : `${prefix}_${operation}`;
}

/** The function, quoted and with its schema. */
export function quotedFunction(schema: string, capture: string): string {
  return `${identifier(schema)}.${identifier(functionName(capture))}`;
}

/** The name, or its hash if it would be too long. */
function fitting(name: string, named: (name: string) => string): string {
  if (Buffer.byteLength(named(name)) <= LONGEST_BYTES) return name;
  return `capture_${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
}
