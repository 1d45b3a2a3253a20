import { checkOptions, type Duration, InvalidInputError } from '@rowlock/core';
import { milliseconds } from '@rowlock/core/driver';
import { checkOneOf, checkPoolOptions } from '@rowlock/sql-drivers';
import type { ConnectionOptions, PoolOptions } from 'mysql2/promise';
import type { OnConnect } from './connection/session.js';
import { readUri, sslOf, withOptions } from './connection/uri.js';

/** Options that an application may not set, each with its reason. */
const FIXED = {
  charset: 'names and payloads are utf8mb4',
  charsetNumber: 'names and payloads are utf8mb4',
  timezone: 'times are UTC',
  flags: 'an UPDATE must return how many rows it met',
  rowsAsArray: 'rows are read by their columns',
  nestTables: 'rows are read by their columns',
  typeCast: 'values are read by their types',
  connectionLimit: 'pass maxConnections',
  maxIdle: 'the pool is kept as large as its work needs',
  idleTimeout: 'the pool is kept as large as its work needs',
  resetOnRelease: 'a connection keeps its settings',
} satisfies Partial<Record<keyof PoolOptions, string>>;

/** Where the database is. */
export interface MysqlOptions extends Omit<ConnectionOptions, 'database' | keyof typeof FIXED> {
  /** The database that holds Rowlock's tables; default: the one in `uri`. A caller's connection may be to another one. */
  readonly database?: string;
  /** The most connections of the driver's pool. Default 100. Connections are opened on demand. */
  readonly maxConnections?: number;
  /** The timeout for connecting, in milliseconds. Default 10,000. */
  readonly connectTimeout?: number;
  /** Whether TCP sends keep-alive probes. Default true. */
  readonly enableKeepAlive?: boolean;
  /** TCP probes begin after so many milliseconds without traffic. Node sends 10 probes, one a second. Default 10,000. */
  readonly keepAliveInitialDelay?: number;
  /**
   * The most prepared statements that a connection keeps, on both ends. Default 500, as the driver has far fewer. mysql2's own default,
   * 16,000, reserves half a megabyte for each connection.
   */
  readonly maxPreparedStatements?: number;
  /**
   * Whether `KILL QUERY` may wake an idle worker. Default true, and tried at each start. With false the worker polls.
   * Behind a proxy that lets clients share connections, the KILL could interrupt another client's statement.
   */
  readonly push?: boolean;
  /**
   * The timeout of the driver's own statements. After the timeout the connection counts as lost, and the statement is ended on
   * the server. Default 20 s, at most 24 h.
   * `list` and `count`, which may read all jobs, and a migration have no timeout. A handler's statements have only the handler's timeout.
   */
  readonly answerTimeout?: Duration;
  /**
   * Whether each connection has a session of its `own` on the server, or `shared`: a proxy lets clients share it (multiplexing).
   * With `shared` sessions workers prove themselves alive by a heartbeat, and poll for wake-ups. Default `auto`: each worker finds out
   * when it starts.
   */
  readonly sessions?: SessionKind;
  /**
   * Whether a worker may start while another live worker writes through another server. Default `refuse`. With `allow` two servers may
   * both write, as in a Galera cluster. Then jobs run twice, and jobs of one key run at the same time.
   */
  readonly severalWriters?: SeveralWriters;
  /**
   * Called for each new connection of the driver, and awaited before its first statement: for SET ROLE, say. The driver's own settings
   * come after it.
   */
  readonly onConnect?: OnConnect;
}

export type SessionKind = 'auto' | 'own' | 'shared';

export type SeveralWriters = 'refuse' | 'allow';

/** The checked options, with the defaults. */
export interface Settings {
  /** The database that holds Rowlock's tables. */
  readonly schema: string;
  readonly answerMs: number;
  readonly maxConnections: number;
  readonly push: boolean;
  readonly sessions: SessionKind;
  readonly severalWriters: SeveralWriters;
  /** The options of each of the driver's connections. */
  readonly connecting: ConnectionOptions;
  readonly onConnect: OnConnect | undefined;
}

/** @throws InvalidInputError */
export function settingsOf(options: MysqlOptions): Settings {
  refuseFixed(options);
  checkOptions('mysql()', options, Object.keys({ ...OPTIONS, ...FIXED }));
  const {
    maxConnections = 100,
    push = true,
    answerTimeout = '20s',
    sessions = 'auto',
    severalWriters = 'refuse',
    connectTimeout = 10_000,
    enableKeepAlive = true,
    keepAliveInitialDelay = 10_000,
    maxPreparedStatements = 500,
    onConnect,
    database,
    ...given
  } = options;
  if ('uri' in given && given.uri === undefined)
    throw new InvalidInputError(
      '`uri` is not set: is the environment variable that it comes from? Or pass `host`, `user` and `database`.',
    );
  const answerMs = milliseconds(answerTimeout, 'answerTimeout');
  checkPoolOptions({ maxConnections, sessions, answerMs });
  checkOneOf('severalWriters', severalWriters, WRITERS);
  const url = given.uri === undefined ? undefined : readUri(given.uri);
  const schema = database ?? databaseOf(url);
  const preset = { connectTimeout, enableKeepAlive, keepAliveInitialDelay, maxPreparedStatements };
  const where = url && {
    ...(given.ssl === undefined && sslOf(url)),
    uri: withOptions(url, OF_QUERY),
  };
  const connecting = { ...given, ...where, ...preset, ...ALWAYS, database: schema };
  return { schema, answerMs, maxConnections, push, sessions, severalWriters, connecting, onConnect };
}

const ALWAYS = {
  charset: 'utf8mb4',
  timezone: 'Z',
  /**
   * An UPDATE returns the number of matched rows, unchanged ones among them. No statement has attributes: some servers offer them, and fail
   * on them in prepared statements.
   */
  flags: ['+FOUND_ROWS', '-CLIENT_QUERY_ATTRIBUTES'],
} satisfies ConnectionOptions;

/** Refuses options that the type excludes, which JavaScript or a variable can pass. */
function refuseFixed(given: unknown): void {
  const passed = new Set(
    Object.entries(Object(given)).flatMap(([name, value]) => (value === undefined ? [] : name)),
  );
  for (const [name, why] of Object.entries(FIXED)) {
    if (passed.has(name)) throw new InvalidInputError(`mysql() takes no option '${name}': ${why}.`);
  }
}

/** Each option, and whether the client takes it from the query of a `uri`. */
const OPTIONS = {
  uri: false,
  host: false,
  port: false,
  database: false,
  user: false,
  password: false,
  ssl: true,
  maxConnections: false,
  answerTimeout: false,
  sessions: false,
  severalWriters: false,
  push: false,
  onConnect: false,
  connectTimeout: false,
  enableKeepAlive: false,
  keepAliveInitialDelay: false,
  maxPreparedStatements: false,
  password1: true,
  password2: true,
  password3: true,
  passwordSha1: true,
  insecureAuth: true,
  authPlugins: false,
  authSwitchHandler: false,
  enableCleartextPlugin: true,
  socketPath: true,
  localAddress: true,
  stream: false,
  compress: true,
  connectAttributes: true,
  stringifyObjects: true,
  infileStreamFactory: false,
  queryFormat: false,
  supportBigNumbers: true,
  bigNumberStrings: true,
  decimalNumbers: true,
  dateStrings: true,
  jsonStrings: true,
  namedPlaceholders: true,
  multipleStatements: true,
  disableEval: true,
  debug: true,
  trace: true,
  Promise: false,
  pool: false,
  isServer: false,
  queueLimit: true,
  waitForConnections: true,
  gracefulEnd: true,
} satisfies Record<keyof MysqlOptions, boolean>;

const OF_QUERY: readonly string[] = Object.entries(OPTIONS).flatMap(([name, isTaken]) =>
  isTaken ? name : [],
);

const WRITERS: readonly string[] = ['refuse', 'allow'];

function databaseOf(url: URL | undefined): string {
  const database = decodeURIComponent(url?.pathname.slice(1) ?? '');
  if (database !== '') return database;
  throw new InvalidInputError(
    'Which database holds the tables? Put its name into the URL, or pass `database`.',
  );
}
