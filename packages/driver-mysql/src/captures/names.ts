import { createHash } from 'node:crypto';

/** MySQL's limit on a name. */
const LONGEST_CHARACTERS = 64;

export type Operation = 'insert' | 'update' | 'delete';

const OPERATIONS: readonly Operation[] = ['insert', 'update', 'delete'];

/** The characters behind the first part of a name: `_insert_12345678`. */
const BEHIND = 16;

/** How the names of a capture's triggers begin. The schema is in the name, as two Rowlocks may capture one table. */
export function triggerPrefix(schema: string, capture: string): string {
  const full = `${schema}_capture_${capture}`;
  if (full.length + BEHIND <= LONGEST_CHARACTERS && PLAIN.test(full)) return full;
  return `rowlock_capture_${hash(full).slice(0, 32)}`;
}

/** Names are compared without regard to case, and kept in three bytes a character. */
const PLAIN = /^[a-z0-9_ -]+$/;

/**
 * The hash of the trigger is in its name. So another one can be made before the old one is dropped, and no change in
 * between is lost.
 */
export function triggerName(prefix: string, operation: Operation, text: string): string {
  return `${prefix}_${operation}_${hash(text).slice(0, 8)}`;
}

/** The operation of a trigger of the capture. Undefined for another one's. */
export function operationIn(prefix: string, name: string): Operation | undefined {
  return OPERATIONS.find(
    (operation) =>
      name.startsWith(`${prefix}_${operation}_`) &&
      /^[0-9a-f]{8}$/.test(name.slice(prefix.length + operation.length + 2)),
  );
}

/** The user variables of a capture's trigger, by which it counts the rows of one statement. */
export function variables(prefix: string, operation: Operation) {
  const name = `@rowlock_${hash(`${prefix} ${operation}`).slice(0, 12)}`;
  return { at: `${name}_at`, count: `${name}_count`, job: `${name}_job` };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
