import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { type EmbeddedPostgres, freshDatabase, startEmbeddedPostgres } from '../src/index.js';
import { runningProcess } from '../src/running-process.js';
import '../src/vitest.js';

async function query(url: string, text: string): Promise<unknown[][]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}

const alive = (pid: number) => runningProcess(pid) !== undefined;

const postmasterOf = async (server: EmbeddedPostgres): Promise<number> => {
  const [row] = await query(server.url, "select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int");
  return Number(row?.[0]);
};

async function eventually(condition: () => boolean): Promise<void> {
  for (const until = Date.now() + 60_000; !condition(); await sleep(50)) {
    if (Date.now() > until) throw new Error(`never true: ${condition}`);
  }
}

describe('the embedded Postgres', () => {
  let folder: string;
  let dataDir: string;
  const started: EmbeddedPostgres[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rowlock-servers-'));
    chmodSync(folder, 0o711);
    dataDir = join(folder, 'data');
  });

  afterEach(async () => {
    for (const server of started.splice(0)) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(options: { port?: number; persistent?: boolean } = {}): Promise<EmbeddedPostgres> {
    const server = await startEmbeddedPostgres({ persistent: true, dataDir, ...options });
    started.push(server);
    return server;
  }

  test('removes what a process left that was killed while it made a cluster, and nobody else’s', async () => {
    const { pid: dead } = spawn('true');
    await eventually(() => !alive(Number(dead)));
    for (const name of [`data.new-${dead}`, `data.new-${process.ppid}`, `other.new-${dead}`])
      mkdirSync(join(folder, name));
    await start();
    expect(readdirSync(folder).toSorted()).toEqual(
      ['data', `data.new-${process.ppid}`, `other.new-${dead}`].toSorted(),
    );
  });

  test('keeps committed rows through an immediate kill and a restart', async () => {
    const server = await start();
    await query(server.url, 'create table t as select generate_series(1, 100) id');
    await server.kill();
    await expect(query(server.url, 'select 1')).rejects.toThrow();
    await server.restart();
    expect(await query(server.url, 'select count(*)::int from t')).toEqual([[100]]);
  });

  test('starts again on the data of an earlier start, on the same port, with the same password', async () => {
    const first = await start();
    await query(first.url, 'create table t ()');
    await first.stop();
    await first.stop();
    const second = await start({ port: first.port });
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'select count(*)::int from t')).toEqual([[0]]);
  });

  test('takes another port when the wanted one is taken', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const address = squatter.address();
    const taken = typeof address === 'object' && address ? address.port : 0;
    const server = await start({ port: taken });
    expect(server.port).not.toBe(taken);
    expect(await query(server.url, 'select 1')).toEqual([[1]]);
    squatter.close();
  });

  test('sorts and encodes alike on every machine', async () => {
    const server = await start();
    const rows = await query(
      server.url,
      "select datcollate, pg_encoding_to_char(encoding) from pg_database where datname = 'postgres'",
    );
    expect(rows).toEqual([['C', 'UTF8']]);
  });

  test('recovers when the server was killed with SIGKILL', async () => {
    const server = await start();
    await query(server.url, 'create table t as select 1 id');
    const postmaster = await postmasterOf(server);
    process.kill(postmaster, 'SIGKILL');
    await eventually(() => !alive(postmaster));
    const again = await start();
    expect(await query(again.url, 'select id from t')).toEqual([[1]]);
  });

  test('is not misled by a pid file that names another living process', async () => {
    const server = await start();
    await server.stop();
    writeFileSync(join(server.dataDir, 'postmaster.pid'), `${process.pid}\n`);
    const again = await start();
    expect(await query(again.url, 'select 1')).toEqual([[1]]);
  });

  test('refuses a folder on which a server of a living process runs', async () => {
    await start();
    await expect(start()).rejects.toThrow(/already runs a Postgres/);
  });

  test('refuses data of another major version', async () => {
    const server = await start();
    await server.stop();
    writeFileSync(join(server.dataDir, 'PG_VERSION'), '17\n');
    await expect(start()).rejects.toThrow(/written by Postgres 17, and this is Postgres 18/);
  });

  test('refuses a folder that holds something else', async () => {
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'thesis.txt'), 'years of work');
    await expect(start()).rejects.toThrow(/not a Postgres cluster/);
  });

  test.runIf(process.getuid?.() === 0)(
    'keeps the data elsewhere when root asks for a closed folder',
    async () => {
      chmodSync(folder, 0o700);
      const server = await start();
      expect(server.dataDir).not.toBe(dataDir);
      await query(server.url, 'create table t as select 1 id');
      await server.stop();
      const again = await start();
      expect(await query(again.url, 'select id from t')).toEqual([[1]]);
      await again.stop();
      rmSync(dirname(again.dataDir), { recursive: true });
    },
  );

  test('leaves nothing behind when its process is killed with SIGKILL', async () => {
    const [starter, output] = startInOtherProcess(dataDir);
    const { postmaster } = JSON.parse(await output);
    expect(alive(postmaster)).toBe(true);
    starter.kill('SIGKILL');
    await eventually(() => !alive(postmaster));
  });

  test('two processes that make the same folder at once: one has it, the other says so', async () => {
    const starters = [startInOtherProcess(dataDir), startInOtherProcess(dataDir)];
    const said = await Promise.all(
      starters.map(async ([starter, output]) => {
        let problem = '';
        starter.stderr.setEncoding('utf8').on('data', (text: string) => {
          problem += text;
        });
        const failed = once(starter, 'close').then(() => problem);
        return Promise.race([output, failed]);
      }),
    );
    const [one = '', other] = said.toSorted((a, b) => a.length - b.length);
    const { postmaster } = JSON.parse(one);
    for (const [starter] of starters) starter.kill('SIGKILL');
    await eventually(() => !alive(postmaster));
    expect(other).toMatch(/already runs a Postgres on/);
    expect(readdirSync(folder)).toEqual(['data']);
  });

  test('stops the server of a process that was killed together with its guard', async () => {
    const [starter, output] = startInOtherProcess(dataDir);
    const { postmaster } = JSON.parse(await output);
    const guard = execFileSync('pgrep', ['-f', `rowlock-server-guard ${postmaster} `]).toString();
    process.kill(Number(guard), 'SIGKILL');
    starter.kill('SIGKILL');
    await once(starter, 'exit');
    expect(alive(postmaster)).toBe(true);
    const server = await start();
    expect(await postmasterOf(server)).not.toBe(postmaster);
    expect(alive(postmaster)).toBe(false);
  });

  function startInOtherProcess(dir: string) {
    const program = `
      const { startEmbeddedPostgres } = await import(${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)});
      const { readFileSync } = await import('node:fs');
      const server = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dir)}, persistent: true });
      console.log(JSON.stringify({ postmaster: parseInt(readFileSync(server.dataDir + '/postmaster.pid', 'utf8')) }));
      setInterval(() => {}, 1000);`;
    const starter = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    starter.stderr.pipe(process.stderr);
    return [starter, once(starter.stdout, 'data').then(([text]) => String(text))] as const;
  }
});

test('a fresh database is empty, has a name of its own, and goes with everybody in it', async () => {
  const server = inject('postgresUrl');
  const [one, two] = await Promise.all([freshDatabase(server), freshDatabase(server)]);
  await query(one.url, 'create table t ()');
  await expect(query(two.url, 'select * from t')).rejects.toThrow(/does not exist/);
  const lingering = new pg.Client({ connectionString: one.url });
  lingering.on('error', () => {});
  await lingering.connect();
  await Promise.all([one.drop(), two.drop()]);
  await expect(query(one.url, 'select 1')).rejects.toThrow(/does not exist/);
  await lingering.end().catch(() => {});
});
