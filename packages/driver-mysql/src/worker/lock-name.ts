import { createHash } from 'node:crypto';

/** What all user locks of the Rowlock in this database begin with: MySQL has one space of names for the whole server. */
export function lockPrefix(schema: string): string {
  return `rowlock:${createHash('sha256').update(schema).digest('hex').slice(0, 16)}:`;
}
