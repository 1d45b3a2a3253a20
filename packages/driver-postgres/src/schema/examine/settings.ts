import type { Fault } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../../query.js';

/** In milliseconds, 0 for none. Claims set the limits of transactions in their sessions, so what a session begins with counts. */
const SETTINGS = `
  SELECT name, (CASE WHEN name ~ 'transaction' THEN reset_val ELSE setting END)::bigint AS ms, source FROM pg_settings
  WHERE name IN ('statement_timeout', 'idle_session_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')
  ORDER BY name`;

interface Row {
  readonly name: string;
  readonly ms: bigint;
  readonly source: string;
}

/** A pool closes connections that have been idle for so long, in milliseconds. */
const IDLE_MS = 15_000;

/** A transaction of a few statements, or a wait for another one of these, may take so long, in milliseconds. */
const SHORT_MS = 1_000;

/** Looks for limits of this user's sessions that end what workers do. */
export async function settings(on: PostgresTransaction, handlerMs: number): Promise<readonly Fault[]> {
  const rows = await query<Row & { [column: string]: unknown }>(on, SETTINGS);
  const leasts = new Map([
    ['statement_timeout', handlerMs],
    ['idle_session_timeout', IDLE_MS],
  ]);
  return rows.flatMap(({ name, ms, source }): Fault[] => {
    const least = leasts.get(name) ?? SHORT_MS;
    if (ms === 0n || ms >= least) return [];
    return [
      {
        severity: 'warning',
        what: `${name} is ${ms} ms here (${source}), and less than ${least} ms.`,
        why: WHY[name] ?? '',
        remedy: `ALTER ROLE … IN DATABASE … SET ${name} = 0 for the user of the workers.`,
      },
    ];
  });
}

const ENDED =
  'The server ends sessions in the middle of short transactions: workers do not start, or lose connections and schedules.';

const WHY: Readonly<Record<string, string>> = {
  statement_timeout:
    'The server stops statements of a handler before its timeout is over, and the job is retried.',
  idle_session_timeout: 'The server ends the sessions of workers that wait.',
  lock_timeout: 'A statement that waits for a row for a moment fails, as those of handlers and of enqueues.',
  idle_in_transaction_session_timeout: ENDED,
  transaction_timeout: ENDED,
};
