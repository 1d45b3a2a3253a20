import { createHash } from 'node:crypto';

/** The prefix of this database's user locks. MySQL has one namespace for the whole server. */
export function lockPrefix(schema: string): string {
  return `rowlock:${createHash('sha256').update(schema).digest('hex').slice(0, 16)}:`;
}
