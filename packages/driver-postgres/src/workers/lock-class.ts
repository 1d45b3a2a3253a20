import { createHash } from 'node:crypto';

/** The first number of this schema's advisory locks. No other use of the database is likely to have it. */
export interface LockClass {
  /** As the lock functions take it: 32 bits, signed. */
  readonly signed: number;
  /** As `pg_locks` shows it. */
  readonly unsigned: number;
}

export function lockClass(schema: string): LockClass {
  const digest = createHash('sha256').update(`rowlock:${schema}`).digest();
  return { signed: digest.readInt32BE(), unsigned: digest.readUInt32BE() };
}
