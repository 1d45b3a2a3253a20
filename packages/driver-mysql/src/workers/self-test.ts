import type { EndableWait } from '@rowlock/core/driver';
import type { Connection } from 'mysql2/promise';
import { sessionOf } from '../connection/session.js';
import { interrupt } from '../connection/session-control.js';
import { type MysqlTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import { isInterruption } from './interruption.js';
import type { WorkerLock } from './worker-lock.js';

/** How long the session sleeps, in milliseconds. */
const SLEEP_MS = 1_000;

/** The pause between two interruptions, in milliseconds. An interruption before the sleep is lost. */
const PAUSE_MS = 5;

/** Whether producers can interrupt a worker's session. Puts the session to sleep, and interrupts it like a producer. @throws DriverError */
export async function canBeInterrupted(
  client: Connection,
  { sql, pool, lock, wait }: { sql: Statements; pool: MysqlTransaction; lock: WorkerLock; wait: EndableWait },
): Promise<boolean> {
  // Looks up the number like a producer: behind a proxy the client has another one. Producers may interrupt any statement of this
  // session from now on, so another connection looks up the number.
  const holder = await lock.holder(pool);
  if (holder === null) return false;
  const session = sessionOf(client, holder);
  let over = false;
  const slept = query<{ slept: number }>(client, sql.bell.nap, [SLEEP_MS / 1000])
    .then(([row]) => Number(row?.slept) === 1, isInterruption)
    .finally(() => (over = true));
  // The sleep may fail during a pause, when no code awaits it.
  slept.catch(() => {});
  for (; !over; await wait.pause(PAUSE_MS)) await interrupt(pool, session);
  return slept;
}
