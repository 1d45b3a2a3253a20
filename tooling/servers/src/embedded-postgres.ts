import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onFreePort, onPortAgain } from './free-port.js';
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries.js';
import { runningProcess } from './running-process.js';
import { canWrite, type ServerAccount, serverAccount, versionAs } from './server-account.js';
import { type ServerCommand, type ServerProcess, startServerProcess } from './server-process.js';
import { clearStaleServer, type ServerTraces } from './stale-server.js';

export interface EmbeddedPostgresOptions {
  /** The cluster's folder; created when it does not exist. Used again when it holds a cluster. */
  readonly dataDir: string;
  /** The port to listen on. Another one is chosen when it is taken, or when none is given. */
  readonly port?: number;
  /** Whether the data outlives `stop()`. */
  readonly persistent: boolean;
  /**
   * How a new cluster checks passwords. `plain` compares them as they are sent, for half of a connection's CPU time in its client.
   * Default: `scram-sha-256`, as a server of production does.
   */
  readonly passwords?: 'scram-sha-256' | 'plain';
  /** Server settings, as in postgresql.conf: `{ fsync: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Receives the server's log, line by line. */
  readonly log?: (line: string) => void;
}

export interface EmbeddedPostgres {
  /** Superuser's URL of the database `postgres`. */
  readonly url: string;
  readonly port: number;
  /** Where the data really is: not always where asked for, see `usableDataDir`. */
  readonly dataDir: string;
  /** Stops the server, disconnecting its clients; deletes the data unless persistent. May be called twice. */
  stop(): Promise<void>;
  /** Ends the server at once, as `pg_ctl stop -m immediate` does: the next start recovers from the log. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data; stops it first if it runs. */
  restart(): Promise<void>;
}

/**
 * A real Postgres 18 on 127.0.0.1, from npm, in at most two seconds.
 *
 * The server has a session of its own, so that Ctrl-C in a terminal reaches only the caller, who stops the server when
 * the last job is settled. A guard process stops the server when the caller ends in whatever way, also by SIGKILL.
 * @throws Error when the data folder is in use, or was written by another major version, or is something else
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const account = serverAccount();
  const binaries = usableBinaries(account, await postgresBinaries());
  const dataDir = usableDataDir(account, resolve(options.dataDir));
  initialiseOnce(account, binaries, dataDir, options.passwords);
  await clearStaleServer(tracesOn(dataDir));

  const password = readFileSync(join(dataDir, PASSWORD_FILE), 'utf8');
  const start = (onPort: number) => startServer(account, binaries, dataDir, onPort, options);
  const first = await onFreePort(options.port, TAKEN, start);
  const { port } = first;
  let { server } = first;

  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    port,
    dataDir,
    async stop() {
      await server.end('SIGINT');
      if (!options.persistent) rmSync(dataDir, { recursive: true, force: true });
    },
    kill: () => server.end('SIGQUIT'),
    async restart() {
      await server.end('SIGINT');
      server = await onPortAgain(port, TAKEN, start);
    },
  };
}

const PASSWORD_FILE = 'rowlock.password';
/** What the server says when another one has its port. */
const TAKEN = 'could not bind';

function tracesOn(dataDir: string): ServerTraces {
  return {
    name: 'Postgres',
    dataDir,
    pidFile: join(dataDir, 'postmaster.pid'),
    isServer: (command) => /\bpostgres\b/.test(command) && `${command} `.includes(` -D ${dataDir} `),
    starter: /cluster_name=rowlock-(\d+)/,
    signals: ['SIGINT', 'SIGQUIT'],
  };
}

/**
 * The binaries themselves, or a copy of them. A checkout under a folder closed to others (such as /root) cannot be read
 * by the account that the server runs as.
 */
function usableBinaries(account: ServerAccount, binaries: PostgresBinaries): PostgresBinaries {
  if (versionAs(account, binaries.postgres)) return binaries;
  const version = versionAs({}, binaries.postgres) ?? '';
  const copy = ownTempFolder(`rowlock-postgres-${fingerprint(binaries.root + version)}`);
  chmodSync(copy, 0o755);
  const copied = {
    initdb: join(copy, 'bin', 'initdb'),
    postgres: join(copy, 'bin', 'postgres'),
    root: copy,
  };
  const isUsable = () => versionAs(account, copied.postgres) !== undefined;
  if (!isUsable()) copyWhole(binaries.root, copy, isUsable);
  if (isUsable()) return copied;
  const probe = spawnSync(binaries.postgres, ['--version'], { encoding: 'utf8' });
  throw new Error(`The embedded Postgres does not run on this machine: ${probe.error ?? probe.stderr}`);
}

/** Copies beside the folder, and renames the whole copy, because another start at the same time must not find a part. */
function copyWhole(from: string, to: string, isThere: () => boolean): void {
  const part = mkdtempSync(`${to}-`);
  chmodSync(part, 0o755);
  // `verbatimSymlinks`: the libraries' links are relative and must not lead back into the unreadable folder.
  cpSync(from, part, { recursive: true, verbatimSymlinks: true });
  try {
    // Takes the place of an empty folder only.
    renameSync(part, to);
  } catch {
    // Another start was faster, or what is there is what a cleaner of old files has left.
    const isLate = isThere();
    rmSync(isLate ? part : to, { recursive: true });
    if (!isLate) renameSync(part, to);
  }
}

/** The folder asked for, or one below the system's temporary folder when the server's account cannot reach that. */
function usableDataDir(account: ServerAccount, wanted: string): string {
  mkdirSync(wanted, { recursive: true, mode: 0o700 });
  if (readdirSync(wanted).length > 0 && !existsSync(join(wanted, 'PG_VERSION'))) {
    throw new Error(
      `${wanted} holds something that is not a Postgres cluster. Use an empty or a new folder.`,
    );
  }
  if (account.uid === undefined) return wanted;
  chownSync(wanted, account.uid, account.gid);
  if (canWrite(account, wanted)) return wanted;
  if (readdirSync(wanted).length === 0) rmSync(wanted, { recursive: true });
  const instead = join(ownTempFolder(`rowlock-data-${fingerprint(wanted)}`), 'data');
  mkdirSync(instead, { recursive: true, mode: 0o700 });
  chmodSync(dirname(instead), 0o711);
  chownSync(instead, account.uid, account.gid);
  if (canWrite(account, instead)) return instead;
  throw new Error(`Neither ${wanted} nor ${instead} can be written by the account that Postgres runs as.`);
}

/** A folder of a known name in /tmp could have been put there by another user: then it is not used. */
function ownTempFolder(name: string): string {
  const folder = join(tmpdir(), name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || (process.getuid && found.uid !== process.getuid())) {
    throw new Error(`${folder} belongs to somebody else. Remove it, or set TMPDIR to a folder of your own.`);
  }
  return folder;
}

function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/**
 * Made beside the final place and moved there when complete: an interrupted `initdb` is never taken for a cluster. Of
 * several processes that do this at once the first one's is used.
 */
function initialiseOnce(
  account: ServerAccount,
  binaries: PostgresBinaries,
  dataDir: string,
  passwords: EmbeddedPostgresOptions['passwords'],
): void {
  const versionFile = join(dataDir, 'PG_VERSION');
  if (existsSync(versionFile)) {
    refuseOtherVersions(account, binaries, dataDir, versionFile);
    return;
  }
  removeAbandoned(dataDir);
  const staging = mkdirFor(account, `${dataDir}.new-${process.pid}`);
  const cluster = mkdirFor(account, join(staging, 'data'));
  const passwordFile = join(staging, 'password');
  // Random, though the server listens on 127.0.0.1 only: other users of the machine reach that too.
  const password = randomBytes(18).toString('base64url');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  own(account, passwordFile);
  const flags = [
    '--locale=C',
    '--encoding=UTF8',
    // What is sent as it is would be hashed 4,096 times by the server.
    ...(passwords === 'plain' ? ['--auth=password', '--set=scram_iterations=1'] : ['--auth=scram-sha-256']),
    '--username=postgres',
    '--no-instructions',
  ];
  const initdb = spawnSync(binaries.initdb, [`--pgdata=${cluster}`, `--pwfile=${passwordFile}`, ...flags], {
    ...account,
    cwd: '/',
    encoding: 'utf8',
    env: serverEnvironment(),
  });
  if (initdb.status !== 0) {
    rmSync(staging, { recursive: true, force: true });
    throw new Error(`initdb failed on ${dataDir}: ${initdb.error ?? initdb.stderr}`);
  }
  renameSync(passwordFile, join(cluster, PASSWORD_FILE));
  try {
    renameSync(cluster, dataDir);
  } catch (error) {
    if (!existsSync(versionFile)) throw error;
  } finally {
    rmSync(staging, { recursive: true });
  }
}

/** What a process that was killed in the middle of this has left. */
function removeAbandoned(dataDir: string): void {
  const beside = dirname(dataDir);
  for (const name of readdirSync(beside)) {
    const [start = '', pid] = name.split('.new-');
    if (start !== basename(dataDir) || pid === undefined || runningProcess(Number(pid)) !== undefined)
      continue;
    rmSync(join(beside, name), { recursive: true, force: true });
  }
}

function refuseOtherVersions(
  account: ServerAccount,
  binaries: PostgresBinaries,
  dataDir: string,
  versionFile: string,
): void {
  const theirs = readFileSync(versionFile, 'utf8').trim();
  const ours = /\d+/.exec(versionAs(account, binaries.postgres) ?? '')?.[0];
  if (theirs !== ours) {
    throw new Error(
      `${dataDir} was written by Postgres ${theirs}, and this is Postgres ${ours}. Dump it with the old version, or use a new folder.`,
    );
  }
  if (!existsSync(join(dataDir, PASSWORD_FILE))) {
    throw new Error(
      `${dataDir} holds a Postgres cluster that was not made here. Use an empty or a new folder.`,
    );
  }
}

function mkdirFor(account: ServerAccount, folder: string): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  own(account, folder);
  return folder;
}

function own(account: ServerAccount, path: string): void {
  if (account.uid !== undefined) chownSync(path, account.uid, account.gid);
}

// The messages are read below, so they must be the untranslated ones. PG* would be taken as the server's defaults.
function serverEnvironment(): NodeJS.ProcessEnv {
  const env = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name));
  return { ...Object.fromEntries(env), LC_ALL: 'C' };
}

async function startServer(
  account: ServerAccount,
  binaries: PostgresBinaries,
  dataDir: string,
  port: number,
  options: EmbeddedPostgresOptions,
): Promise<ServerProcess> {
  const settings = {
    listen_addresses: '127.0.0.1',
    // TCP only: sockets in /tmp would clash with those of other servers.
    unix_socket_directories: '',
    // Tells a later start who started this one.
    cluster_name: `rowlock-${process.pid}`,
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command: ServerCommand = {
    name: 'Postgres',
    program: binaries.postgres,
    args: ['-D', dataDir, '-p', String(port), ...flags],
    account,
    env: serverEnvironment(),
    // A standby takes "read-only connections".
    readyText: 'database system is ready to accept ',
    guard: { signal: 'SIGINT', deleteFolder: options.persistent ? undefined : dataDir },
    log: options.log,
  };
  for (const until = Date.now() + 10_000; ; await sleep(100)) {
    try {
      return await startServerProcess(command);
    } catch (error) {
      // Backends of a postmaster that was killed with SIGKILL need a moment to notice.
      const passing = /pre-existing shared memory block|lock file "postmaster.pid"/.test(String(error));
      if (!passing || Date.now() > until) throw error;
      // Or another process was a little faster.
      await clearStaleServer(tracesOn(dataDir));
    }
  }
}
