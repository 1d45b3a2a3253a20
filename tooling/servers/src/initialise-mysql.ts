import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MysqlBinaries } from './mysql-binaries.js';
import { startGuard } from './server-guard.js';

/**
 * Makes the server's data folder unless it is there.
 *
 * Made beside the final place and moved there when complete: an interrupted initialisation is never taken for a server's data.
 * @returns root's password
 * @throws Error when the folder holds something else
 */
export async function initialiseMysqlOnce(binaries: MysqlBinaries, dataDir: string): Promise<string> {
  const { name, passwordFile } = binaries.product;
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    if (existsSync(join(dataDir, passwordFile))) return readFileSync(join(dataDir, passwordFile), 'utf8');
    throw new Error(
      `${dataDir} holds something that is not a ${name} data folder made here. Use an empty or a new folder.`,
    );
  }
  const staging = `${dataDir}.new`;
  const data = join(staging, 'data');
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(data, { recursive: true, mode: 0o700 });
  // Random, though the server listens on 127.0.0.1 only: other users of the machine reach that too.
  const password = randomBytes(18).toString('base64url');
  try {
    await (name === 'MySQL' ? initialiseMysql : initialiseMariadb)(binaries, staging, data, password);
    writeFileSync(join(data, passwordFile), password, { mode: 0o600 });
    renameSync(data, dataDir);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return password;
}

async function initialiseMysql(
  binaries: MysqlBinaries,
  staging: string,
  data: string,
  password: string,
): Promise<void> {
  const accounts = join(staging, 'accounts.sql');
  writeFileSync(accounts, rootAccount(password), { mode: 0o600 });
  await run(binaries, staging, [`--datadir=${data}`, '--initialize-insecure', `--init-file=${accounts}`]);
}

/** What `mariadb-install-db` does, which itself needs programs of further packages. */
async function initialiseMariadb(
  binaries: MysqlBinaries,
  staging: string,
  data: string,
  password: string,
): Promise<void> {
  mkdirSync(join(data, 'mysql'), { mode: 0o700 });
  const statements = [
    'CREATE DATABASE IF NOT EXISTS mysql;\nUSE mysql;\nSET @auth_root_socket = NULL;\n',
    ...MARIADB_TABLES.map((file) => readFileSync(sharedFile(binaries, file), 'utf8')),
    `FLUSH PRIVILEGES;\n${rootAccount(password)}`,
  ];
  await run(binaries, staging, [`--datadir=${data}`, '--bootstrap'], statements.join('\n'));
}

const MARIADB_TABLES = [
  'system_tables.sql',
  'performance_tables.sql',
  'system_tables_data.sql',
  'maria_add_gis_sp_bootstrap.sql',
  'sys_schema.sql',
];

/** MariaDB 11 has given most of these files another prefix. */
function sharedFile({ shareFolders }: MysqlBinaries, name: string): string {
  for (const folder of shareFolders) {
    for (const prefix of ['mariadb_', 'mysql_', '']) {
      const file = join(folder, prefix + name);
      if (existsSync(file)) return file;
    }
  }
  throw new Error(
    `MariaDB's ${name} is in none of ${shareFolders.join(', ')}: is its server package complete?`,
  );
}

// One statement a line: the bootstrap reads them so. The server asks no name server, so 127.0.0.1 is not localhost.
function rootAccount(password: string): string {
  return [
    `CREATE USER IF NOT EXISTS root@'127.0.0.1';`,
    `ALTER USER root@'127.0.0.1' IDENTIFIED BY '${password}';`,
    `GRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;`,
    `ALTER USER root@localhost IDENTIFIED BY '${password}';`,
    '',
  ].join('\n');
}

async function run(
  { product, program, firstArgs }: MysqlBinaries,
  staging: string,
  args: string[],
  input = '',
): Promise<void> {
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
  // In a folder for temporary tables of its own: see startOnPort.
  const all = [...firstArgs, ...asRoot, `--tmpdir=${staging}`, ...args];
  const initialising = spawn(program, all, { cwd: '/', detached: true });
  const guard = startGuard(initialising, { signal: 'SIGKILL', deleteFolder: staging });
  let log = '';
  initialising.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-4_000);
  });
  initialising.stdout.resume();
  initialising.stdin.on('error', () => {});
  initialising.stdin.end(input);
  const status = await new Promise((resolve, reject) => {
    initialising.once('error', reject);
    initialising.once('close', resolve);
  }).finally(() => guard.dismiss());
  if (status !== 0) throw new Error(`${product.name} could not make its data folder:\n${log.trim()}`);
}
