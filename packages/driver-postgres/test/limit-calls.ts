import { type DriverError, isDriverError } from '@rowlock/core';
import type { ClaimSession, Job } from '@rowlock/core/driver';
import type pg from 'pg';
import type { PostgresTransaction } from '../src/index.js';

type Session = ClaimSession<PostgresTransaction>;

export const reached: Pick<DriverError, 'name' | 'code'> = { name: 'DriverError', code: 'LimitReached' };

/** Claims a job with these limits. */
export function claim(session: Session, limits: string): Promise<readonly Job[]> {
  const line = { priority: -32_768, id: 0n };
  return session.claim({ queue: 'default', kinds: ['work'], line, busy: [], limit: 1, limits });
}

/** How many sessions hold a gate, or wait for one. */
export async function gates(admin: pg.Pool): Promise<number> {
  const { rows } = await admin.query<{ locks: number }>(
    "SELECT count(*)::integer AS locks FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
  );
  return rows[0]?.locks ?? Number.NaN;
}

/** Whether the session is admitted. */
export async function enters(session: Session, limit: string, size: number): Promise<boolean> {
  try {
    await session.enterLimits(JSON.stringify({ [limit]: size }));
    return true;
  } catch (error) {
    if (!isDriverError(error, 'LimitReached')) throw error;
    return false;
  }
}

/** How many of these sessions are admitted, one after the other. They leave together. */
export async function admitted(callers: readonly Session[], limit: string, size: number): Promise<number> {
  let count = 0;
  for (const session of callers) if (await enters(session, limit, size)) count += 1;
  for (const session of callers) await session.rollback();
  return count;
}
