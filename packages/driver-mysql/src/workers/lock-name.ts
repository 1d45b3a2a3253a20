import { createHash } from 'node:crypto';

/** The prefix of this database's user locks. MySQL has one namespace for the whole server. */
export function lockPrefix(schema: string): string {
  return `rowlock:${hash(schema).slice(0, 16)}:`;
}

/** The name of the gate that all takers of a limit pass. User locks have names of up to 64 characters. */
export function gateOf(prefix: string, limit: string): string {
  return `${prefix}limit:${hash(limit).slice(0, 32)}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
