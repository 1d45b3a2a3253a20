import type { Fault } from '@rowlock/core/driver';
import { type PostgresTransaction, query } from '../../query.js';

/** In milliseconds, 0 for none. Claims set the limits of their transactions themselves. */
const SETTINGS = `
  SELECT name, setting::bigint AS ms, source FROM pg_settings WHERE name IN ('statement_timeout', 'idle_session_timeout') ORDER BY name`;

interface Row {
  readonly name: string;
  readonly ms: bigint;
  readonly source: string;
}

/** A pool closes connections that have been idle for so long, in milliseconds. */
const IDLE_MS = 15_000;

/** Looks for limits of this user's sessions that end what workers do. */
export async function settings(on: PostgresTransaction, handlerMs: number): Promise<readonly Fault[]> {
  const rows = await query<Row & { [column: string]: unknown }>(on, SETTINGS);
  return rows.flatMap(({ name, ms, source }): Fault[] => {
    const least = name === 'statement_timeout' ? handlerMs : IDLE_MS;
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

const WHY: Readonly<Record<string, string>> = {
  statement_timeout:
    'The server stops statements of a handler before its timeout is over, and the job is retried.',
  idle_session_timeout: 'The server ends the sessions of workers that wait.',
};
