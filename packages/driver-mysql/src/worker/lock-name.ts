import { createHash } from 'node:crypto';

/** The beginning of the names of this database's user locks: MySQL has one space of names for the whole server. */
export function lockPrefix(schema: string): string {
  return `rowlock:${createHash('sha256').update(schema).digest('hex').slice(0, 16)}:`;
}
