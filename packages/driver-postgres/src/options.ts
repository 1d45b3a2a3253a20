import { checkOptions, DriverError, type Duration, InvalidInputError } from '@rowlock/core';
import { answerWithin, milliseconds } from '@rowlock/core/driver';
import { checkPoolOptions, connectionUrl } from '@rowlock/sql-drivers';
import pg, { type ClientBase, type ClientConfig, type Pool } from 'pg';
import { cut, KEEP_ALIVE_MS } from './connection/connection.js';
import { checkTlsOf } from './connection/tls-of-url.js';

/** Where the database is, and where Rowlock lives in it. */
export interface PostgresOptions extends ClientConfig {
  /** The application's own pool. Without one, the driver makes its own from the other options. */
  readonly pool?: Pool;
  /** The schema of Rowlock's tables, 1 to 55 bytes. Default `rowlock`. */
  readonly schema?: string;
  /** The most connections of the driver's own pool. Default 100. Connections are opened on demand. */
  readonly maxConnections?: number;
  /**
   * The timeout of the driver's own statements. After the timeout the connection counts as lost, and the statement is ended on
   * the server. Default 20 s; 100 ms to 24 h.
   * A handler's statements have only the handler's timeout. `list`, `count` and `migrate` may have much to do, and have no timeout.
   * `close()` waits so long for pending statements, and then cuts their connections.
   */
  readonly answerTimeout?: Duration;
  /**
   * Whether a connection is a session of its `own` on the server, or `shared`: a pooler lets clients share it (PgBouncer in
   * transaction mode). With `shared` sessions, workers prove themselves alive by a heartbeat, and poll for wake-ups. Default `auto`:
   * each worker finds out when it starts.
   */
  readonly sessions?: SessionKind;
  /**
   * Called for each new connection of the driver, and awaited before its first statement: for SET ROLE, say. One that takes longer than
   * `connectionTimeoutMillis`, 10 s by default, loses its connection. Not beside a `pool`,
   * which has its own `onConnect` and its event `connect`. These are also called for the connections outside the pool.
   */
  readonly onConnect?: (client: ClientBase) => unknown;
}

export type SessionKind = 'auto' | 'own' | 'shared';

/** The checked options, with the defaults. */
export interface Settings {
  readonly schema: string;
  readonly answerMs: number;
  readonly sessions: SessionKind;
  readonly pool: Pool;
  /** Whether the pool is the driver's own, which `close` ends. */
  readonly ownsPool: boolean;
}

/** @throws InvalidInputError */
export function settingsOf(options: PostgresOptions): Settings {
  refuseMax(options);
  checkOptions('postgres()', options, OPTIONS);
  const {
    pool,
    schema = 'rowlock',
    maxConnections,
    answerTimeout = '20s',
    sessions = 'auto',
    ...client
  } = options;
  const answerMs = milliseconds(answerTimeout, 'answerTimeout');
  refuseOtherMost(pool, maxConnections, client);
  const url = readUrl(client.connectionString ?? Object(pool).options?.connectionString);
  if (pool === undefined && url !== null) checkTlsOf(url, client.ssl);
  const max = maxConnections ?? 100;
  checkPoolOptions({ maxConnections: max, sessions, answerMs });
  refuseLong(schema);
  refuseBinary(pool);
  const own = pool ?? new pg.Pool({ ...DEFAULTS, ...client, ...hookOf(client), max });
  return { schema, answerMs, sessions, pool: own, ownsPool: pool === undefined };
}

/** A hook that never ends must not keep a place of the pool for ever: after as many as there are places, nothing could connect. */
function hookOf({
  onConnect,
  connectionTimeoutMillis,
}: Pick<PostgresOptions, 'onConnect' | 'connectionTimeoutMillis'>): Pick<PostgresOptions, 'onConnect'> {
  if (typeof onConnect !== 'function') return {};
  const ms = connectionTimeoutMillis || DEFAULTS.connectionTimeoutMillis;
  return {
    async onConnect(client) {
      let isLate = false;
      const giveUp = (): void => {
        isLate = true;
        cut(client);
      };
      try {
        await answerWithin(ms, Promise.resolve(onConnect(client)), giveUp);
      } catch (error) {
        if (!isLate) throw error;
        throw new DriverError(
          'ConnectionLost',
          `onConnect has not ended within ${ms} ms: its connection was closed.`,
        );
      }
    },
  };
}

/** Postgres cuts names at 63 bytes, and the channel by which workers are woken is `rowlock:` and the schema. */
const LONGEST_SCHEMA = 55;

function refuseLong(schema: string): void {
  if (typeof schema === 'string' && Buffer.byteLength(schema) > LONGEST_SCHEMA)
    throw new InvalidInputError(
      `'schema' must have at most ${LONGEST_SCHEMA} bytes, and has ${Buffer.byteLength(schema)}.`,
    );
}

/** Refuses options that would have no effect. @throws InvalidInputError */
function refuseOtherMost(
  pool: Pool | undefined,
  maxConnections: number | undefined,
  client: ClientConfig,
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
}

/** Refuses answers that pg itself reads as if they were texts. @throws InvalidInputError */
function refuseBinary(pool: Pool | undefined): void {
  if (Object(pool).options?.binary || pg.defaults.binary)
    throw new InvalidInputError(
      "The driver reads what the server sends as text: leave 'binary' out of the pool's options and of pg.defaults.",
    );
}

/** Refuses pg's own word. @throws InvalidInputError */
function refuseMax(options: unknown): void {
  if (Object(options).max !== undefined)
    throw new InvalidInputError(
      "'max' is not an option of the driver's: pass 'maxConnections', or set it on a 'pool' of your own.",
    );
}

/** What `pg.Pool` takes beside these is set on a `pool` of the application's own. */
const OPTIONS: readonly string[] = Object.keys({
  pool: true,
  schema: true,
  maxConnections: true,
  answerTimeout: true,
  sessions: true,
  onConnect: true,
  connectionString: true,
  host: true,
  port: true,
  database: true,
  user: true,
  password: true,
  ssl: true,
  sslnegotiation: true,
  enableChannelBinding: true,
  application_name: true,
  fallback_application_name: true,
  options: true,
  client_encoding: true,
  types: true,
  stream: true,
  pipeline: true,
  keepAlive: true,
  keepAliveInitialDelayMillis: true,
  connectionTimeoutMillis: true,
  statement_timeout: true,
  query_timeout: true,
  lock_timeout: true,
  idle_in_transaction_session_timeout: true,
} satisfies Record<keyof PostgresOptions, true>);

/** Null for the path of a socket too, which node-postgres takes. @throws InvalidInputError, without the text */
function readUrl(text: unknown): URL | null {
  if (typeof text !== 'string' || text === '' || /^(?:\/|socket:[^@]*$)/.test(text)) return null;
  return connectionUrl(text, {
    name: 'The `connectionString`',
    example: 'postgres://user:password@host:5432/database',
    other: { protocols: ['mysql:', 'mysql2:', 'mariadb:'], driver: '@rowlock/driver-mysql' },
  });
}

/** The settings of the driver's connections, unless the options override them. */
export const DEFAULTS = {
  application_name: 'rowlock',
  /** Statements are pipelined: they go out without waiting for the earlier answers. */
  pipeline: true,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  /** A timeout with a clear error, instead of a wait without end. */
  connectionTimeoutMillis: 10_000,
} as const;
