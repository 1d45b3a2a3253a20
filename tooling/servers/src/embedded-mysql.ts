import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { onFreePort, onPortAgain } from './free-port.js';
import { initialiseMysqlOnce } from './initialise-mysql.js';
import { type MysqlBinaries, mysqlBinaries } from './mysql-binaries.js';
import { MARIADB, MYSQL } from './mysql-product.js';
import { type ServerProcess, startServerProcess } from './server-process.js';
import { clearStaleServer, type ServerTraces } from './stale-server.js';

export interface EmbeddedMysqlOptions {
  /** The server's folder; created when it does not exist. Used again when it holds the data of an earlier start. */
  readonly dataDir: string;
  /** The port to listen on. Another one is chosen when it is taken, or when none is given. */
  readonly port?: number;
  /** Whether the data outlives `stop()`. */
  readonly persistent: boolean;
  /** Server settings, as in my.cnf: `{ sync_binlog: '0' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Receives the server's log, line by line. */
  readonly log?: (line: string) => void;
}

export interface EmbeddedMysql {
  /** root's URL, which names no database. */
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  /** Stops the server, disconnecting its clients; deletes the data unless persistent. May be called twice. */
  stop(): Promise<void>;
  /** Ends the server at once, by SIGKILL: the next start recovers from the log. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data; stops it first if it runs. */
  restart(): Promise<void>;
}

/**
 * A real MySQL on 127.0.0.1, installed or fetched: see `mysqlBinaries`. A new data folder takes two to four seconds.
 *
 * Session, guard and data folder are as with `startEmbeddedPostgres`, but the server runs as whoever calls, also as root.
 * @throws Error when no server is found, or the data folder is in use or is something else
 */
export async function startEmbeddedMysql(options: EmbeddedMysqlOptions): Promise<EmbeddedMysql> {
  return startMysqlServer(await mysqlBinaries(MYSQL), options);
}

/** The same with MariaDB. */
export async function startEmbeddedMariadb(options: EmbeddedMysqlOptions): Promise<EmbeddedMysql> {
  return startMysqlServer(await mysqlBinaries(MARIADB), options);
}

/** The same with binaries found before. */
export async function startMysqlServer(
  binaries: MysqlBinaries,
  options: EmbeddedMysqlOptions,
): Promise<EmbeddedMysql> {
  const dataDir = resolve(options.dataDir);
  await clearStaleServer(tracesOn(binaries, dataDir));
  const password = await initialiseMysqlOnce(binaries, dataDir);

  const start = (onPort: number) => startOnPort(binaries, dataDir, onPort, options);
  const first = await onFreePort(options.port, TAKEN, start);
  const { port } = first;
  let { server } = first;

  return {
    url: `mysql://root:${password}@127.0.0.1:${port}/`,
    port,
    dataDir,
    async stop() {
      // An orderly end takes a second and a half, which data that is deleted does not need.
      await server.end(options.persistent ? 'SIGTERM' : 'SIGKILL');
      if (!options.persistent) rmSync(dataDir, { recursive: true, force: true });
    },
    kill: () => server.end('SIGKILL'),
    async restart() {
      await server.end('SIGTERM');
      server = await onPortAgain(port, TAKEN, start);
    },
  };
}

const PID_FILE = 'rowlock.pid';
/** What the server says when another one has its port. */
const TAKEN = 'Address already in use';

function tracesOn({ product }: MysqlBinaries, dataDir: string): ServerTraces {
  return {
    name: product.name,
    dataDir,
    pidFile: join(dataDir, PID_FILE),
    isServer: (command) =>
      /\b(mysqld|mariadbd)\b/.test(command) && `${command} `.includes(` --datadir=${dataDir} `),
    starter: /--loose-rowlock-starter=(\d+)/,
    signals: ['SIGTERM', 'SIGKILL'],
  };
}

function startOnPort(
  { product, program, firstArgs }: MysqlBinaries,
  dataDir: string,
  port: number,
  options: EmbeddedMysqlOptions,
): Promise<ServerProcess> {
  const settings = {
    datadir: dataDir,
    port: String(port),
    'bind-address': '127.0.0.1',
    // TCP only: the path of a socket in the data folder may be longer than the system allows.
    socket: '',
    'loose-mysqlx': 'OFF',
    'pid-file': join(dataDir, PID_FILE),
    // Its own: a server that starts deletes all temporary tables there, also those of other servers that run.
    tmpdir: dataDir,
    'secure-file-priv': '',
    'character-set-server': 'utf8mb4',
    // Tells a later start who started this one; a server ignores what is unknown and loose.
    'loose-rowlock-starter': String(process.pid),
    ...options.settings,
  };
  const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
  return startServerProcess({
    name: product.name,
    program,
    args: [...firstArgs, ...asRoot, '--skip-name-resolve', ...flags],
    account: {},
    env: process.env,
    readyText: 'ready for connections',
    guard: options.persistent
      ? { signal: 'SIGTERM', deleteFolder: undefined }
      : { signal: 'SIGKILL', deleteFolder: dataDir },
    log: options.log,
  });
}
