import { type Duration, InvalidInputError } from '@rowlock/core';
import { milliseconds } from '@rowlock/core/driver';
import pg from 'pg';
import { KEEP_ALIVE_MS } from './connection/connection.js';

/** Where the database is, and where Rowlock lives in it. */
export interface PostgresOptions extends pg.ClientConfig {
  /** The application's own pool. Without one, the driver makes its own from the other options. */
  readonly pool?: pg.Pool;
  /** The schema of Rowlock's tables. Default `rowlock`. */
  readonly schema?: string;
  /** The most connections of the driver's own pool. Default 100; they are opened as they are needed. */
  readonly maxConnections?: number;
  /**
   * How long the server may take to answer a statement of the driver's own: after it the connection counts as lost. Default
   * 20 s; 100 ms to 24 h. A handler's statements are bounded by its timeout alone; those of `list`, `count` and `migrate`,
   * which may have much to do, by nothing. `close()` waits so long for what is still asked, and then cuts it off.
   */
  readonly answerTimeout?: Duration;
  /**
   * Whether a connection is a session of its `own` on the server, or one that a pooler lets clients share (PgBouncer in
   * transaction mode). In `shared` ones workers prove themselves alive by a heartbeat, and look for wake-ups. Default `auto`:
   * each worker finds out when it starts.
   */
  readonly sessions?: SessionKind;
}

export type SessionKind = 'auto' | 'own' | 'shared';

/** What the options say, checked, and with the defaults. */
export interface Settings {
  readonly schema: string;
  readonly answerMs: number;
  readonly sessions: SessionKind;
  readonly pool: pg.Pool;
  /** Whether the pool is the driver's own, which ends with it. */
  readonly ownsPool: boolean;
}

/** @throws InvalidInputError */
export function settingsOf({
  pool,
  schema = 'rowlock',
  maxConnections,
  answerTimeout = '20s',
  sessions = 'auto',
  ...client
}: PostgresOptions): Settings {
  const answerMs = milliseconds(answerTimeout, 'answerTimeout');
  refuseOtherMost(pool, maxConnections, client);
  const max = maxConnections ?? 100;
  refuseUnknown(max, sessions, answerMs);
  const own = pool ?? new pg.Pool({ ...DEFAULTS, ...client, max });
  return { schema, answerMs, sessions, pool: own, ownsPool: pool === undefined };
}

/** What would be passed over in silence. @throws InvalidInputError */
function refuseOtherMost(
  pool: pg.Pool | undefined,
  maxConnections: number | undefined,
  client: pg.ClientConfig,
): void {
  if (pool !== undefined && maxConnections !== undefined)
    throw new InvalidInputError(
      "'maxConnections' is of the driver's own pool: where you pass a 'pool', set the 'max' of that pool.",
    );
  const [passedOver] = Object.entries(client).find(([, value]) => value !== undefined) ?? [];
  if (pool !== undefined && passedOver !== undefined)
    throw new InvalidInputError(
      `${JSON.stringify(passedOver)} is of the driver's own pool: where you pass a 'pool', set it there.`,
    );
  if (Object(client).max !== undefined)
    throw new InvalidInputError(
      "'max' is not an option of the driver's: pass 'maxConnections', or set it on a 'pool' of your own.",
    );
}

/** Below it a server that is well would count as lost, in milliseconds. */
const LEAST_ANSWER_MS = 100;

/** A day: a timer takes 24 of them. */
const MOST_ANSWER_MS = 86_400_000;

const SESSIONS: readonly string[] = ['auto', 'own', 'shared'];

/** In JavaScript, or out of an environment's variable, anything can be passed. */
function refuseUnknown(maxConnections: number, sessions: string, answerMs: number): void {
  if (answerMs < LEAST_ANSWER_MS || answerMs > MOST_ANSWER_MS) {
    throw new InvalidInputError(
      `'answerTimeout' must be ${LEAST_ANSWER_MS} ms to 24 h, and is ${answerMs} ms.`,
    );
  }
  if (!Number.isInteger(maxConnections) || maxConnections < 1)
    throw new InvalidInputError(
      `'maxConnections' must be a whole number from 1 on, and is ${maxConnections}.`,
    );
  if (!SESSIONS.includes(sessions))
    throw new InvalidInputError(`'sessions' must be one of ${SESSIONS.join(', ')}, and is '${sessions}'.`);
}

/** How the driver's connections are made, unless the options say otherwise. */
export const DEFAULTS = {
  application_name: 'rowlock',
  /** Statements go out without waiting for the answers to those before them. */
  pipeline: true,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  /** Rather an error that says so than a wait without end. */
  connectionTimeoutMillis: 10_000,
} as const;
