import { createHash } from 'node:crypto';
import { identifier } from '../identifier.js';

/** Postgres cuts a longer name. */
const LONGEST_BYTES = 63;

export type Operation = 'insert' | 'update' | 'delete' | 'truncate';

/** The function of a capture, in Rowlock's own schema. */
export function functionName(capture: string): string {
  return fitting(capture, (name) => `capture_${name}`);
}

/** A trigger of a capture. The schema is in the name, as two Rowlocks may capture one table. */
export function triggerName(schema: string, capture: string, operation: Operation): string {
  return fitting(`${schema}_capture_${capture}`, (name) => `${name}_${operation}`);
}

/** The function, quoted and with its schema. */
export function quotedFunction(schema: string, capture: string): string {
  return `${identifier(schema)}.${identifier(functionName(capture))}`;
}

/** A name that is too long is replaced by its hash. */
function fitting(name: string, named: (name: string) => string): string {
  const full = named(name);
  if (Buffer.byteLength(full) <= LONGEST_BYTES) return full;
  return named(`capture_${createHash('sha256').update(name).digest('hex').slice(0, 32)}`);
}
