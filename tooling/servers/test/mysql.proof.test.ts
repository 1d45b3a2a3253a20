import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import {
  type EmbeddedMysql,
  freshMysqlDatabase,
  startEmbeddedMariadb,
  startEmbeddedMysql,
} from '../src/index.js';
import { runningProcess } from '../src/running-process.js';
import '../src/vitest.js';

async function query(url: string, ...statements: string[]): Promise<unknown> {
  const connection = await createConnection({ uri: url, rowsAsArray: true });
  try {
    let rows: unknown;
    for (const statement of statements) [rows] = await connection.query<RowDataPacket[]>(statement);
    return rows;
  } finally {
    await connection.end();
  }
}

async function eventually(condition: () => boolean): Promise<void> {
  for (const until = Date.now() + 60_000; !condition(); await sleep(50)) {
    if (Date.now() > until) throw new Error(`never true: ${condition}`);
  }
}

const pidOf = (server: { dataDir: string }) =>
  Number.parseInt(readFileSync(join(server.dataDir, 'rowlock.pid'), 'utf8'), 10);

const products = [
  { name: 'MySQL', start: startEmbeddedMysql, version: /^[89]\./, url: () => inject('mysqlUrl') },
  // Where it is asked for: most machines test one of the two.
  ...(process.env.TEST_MARIADB === '1'
    ? [
        {
          name: 'MariaDB',
          start: startEmbeddedMariadb,
          version: /MariaDB/,
          url: () => inject('mariadbUrl') ?? '',
        },
      ]
    : []),
];

describe.each(products)('an embedded $name', (product) => {
  let folder: string;
  let dataDir: string;
  const started: EmbeddedMysql[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rowlock-servers-'));
    dataDir = join(folder, 'data');
  });

  afterEach(async () => {
    for (const server of started.splice(0)) await server.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(options: { port?: number; persistent?: boolean } = {}): Promise<EmbeddedMysql> {
    const server = await product.start({ persistent: true, dataDir, ...options });
    started.push(server);
    return server;
  }

  test('keeps committed rows through kill, restart and stop, under one URL', async () => {
    const server = await start();
    await query(server.url, 'create database d', 'create table d.t (id int)', 'insert into d.t values (1)');
    await server.kill();
    await expect(query(server.url, 'select 1')).rejects.toThrow();
    await server.restart();
    await query(server.url, 'insert into d.t values (2)');
    await server.stop();
    await server.stop();

    const again = await start({ port: server.port });
    expect(again.url).toBe(server.url);
    expect(await query(again.url, 'select id from d.t order by id')).toEqual([[1], [2]]);
    await expect(start()).rejects.toThrow(/already runs a/);
  });

  test('deletes data that is not persistent', async () => {
    const server = await start({ persistent: false });
    expect(await query(server.url, 'select version()')).toEqual([[expect.stringMatching(product.version)]]);
    await server.stop();
    expect(existsSync(dataDir)).toBe(false);
  });

  test("leaves other servers' temporary tables alone", async () => {
    const theirs = join(tmpdir(), `#sql-${basename(folder)}.MAI`);
    writeFileSync(theirs, '');
    try {
      await start();
      expect(existsSync(theirs)).toBe(true);
    } finally {
      rmSync(theirs, { force: true });
    }
  });

  test('refuses a folder that holds something else', async () => {
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'thesis.txt'), 'years of work');
    await expect(start()).rejects.toThrow(/not a M\w+ data folder/);
  });

  test('leaves nothing behind when its process is killed with SIGKILL', async () => {
    const program = `
      const servers = await import(${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)});
      await servers.${product.start.name}({ dataDir: ${JSON.stringify(dataDir)}, persistent: false });
      setInterval(() => {}, 1000);`;
    const starter = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
    // The file is there a moment before the number is in it.
    await eventually(() => existsSync(join(dataDir, 'rowlock.pid')) && pidOf({ dataDir }) > 0);
    const pid = pidOf({ dataDir });
    expect(runningProcess(pid)).toBeDefined();
    starter.kill('SIGKILL');
    await eventually(() => runningProcess(pid) === undefined && !existsSync(dataDir));
  });
});

describe.each(products)('the $name of the tests', ({ url: serverUrl }) => {
  test('has the settings that the drivers are tested with', async () => {
    const rows = await query(serverUrl(), 'select @@max_connections >= 500, @@performance_schema');
    expect(rows).toEqual([[1, 1]]);
  });

  test('a fresh database has a name of its own, utf8mb4, and goes with everybody in it', async () => {
    const server = serverUrl();
    const [one, two] = await Promise.all([freshMysqlDatabase(server), freshMysqlDatabase(server)]);
    await query(one.url, 'create table t (id int)');
    await expect(query(two.url, 'select * from t')).rejects.toThrow(/doesn't exist/);
    expect(await query(one.url, 'select @@character_set_database')).toEqual([['utf8mb4']]);

    const lingering = await createConnection(one.url);
    lingering.on('error', () => {});
    await lingering.beginTransaction();
    await lingering.query('select * from t');
    await Promise.all([one.drop(), two.drop()]);
    await expect(query(one.url, 'select 1')).rejects.toThrow(/Unknown database/);
    lingering.destroy();
  });
});
