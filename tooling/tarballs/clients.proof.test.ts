import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freshDatabase, freshMysqlDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { packFrom } from './pack-all.mjs';

const run = promisify(execFile);
const { resolve } = createRequire(import.meta.url);
const PACKAGES = fileURLToPath(new URL('../../packages/', import.meta.url));
const TSC = resolve('typescript/package.json').replace(/package\.json$/, 'bin/tsc');

let folder: string;
/** The archives, by the names of the packages' folders. */
const archives = new Map<string, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rowlock-clients-'));
  for (const name of ['core', 'sql-drivers', 'driver-postgres', 'driver-mysql'])
    archives.set(name, await packFrom(join(PACKAGES, name), folder));
}, 240_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

const DRIVERS = {
  pg: {
    driver: 'driver-postgres',
    older: '8.22.0',
    fresh: () => freshDatabase(inject('postgresUrl')),
    open: `
import pg from 'pg';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
const connectionString = process.env.DATABASE_URL;
export { defineHandler };
export const pool = new pg.Pool({ connectionString, max: 8 });
export const drivers = () => [postgres({ connectionString }), postgres({ pool })];
export const note = 'INSERT INTO notes VALUES ($1)';
export async function withClient(work) {
  const client = await pool.connect();
  try {
    return await work({ query: async (text) => (await client.query(text)).rows, tx: client });
  } finally {
    client.release();
  }
}
`,
    program: `
import pg from 'pg';
import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
export const pool = new pg.Pool({ connectionString: 'postgres://localhost/app' });
export const rowlock = createRowlock({ driver: postgres({ pool }), handlers: [] });
export const inOne = async (): Promise<unknown> =>
  rowlock.jobs.list({}, { tx: await pool.connect() });
`,
  },
  mysql2: {
    driver: 'driver-mysql',
    older: '3.17.0',
    fresh: () => freshMysqlDatabase(inject('mysqlUrl')),
    open: `
import { createPool } from 'mysql2/promise';
import { defineHandler, mysql } from '@rowlock/driver-mysql';
const uri = process.env.DATABASE_URL;
export { defineHandler };
export const pool = createPool({ uri, connectionLimit: 8 });
export const drivers = () => [mysql({ uri })];
export const note = 'INSERT INTO notes VALUES (?)';
export async function withClient(work) {
  const client = await pool.getConnection();
  try {
    return await work({ query: async (text) => (await client.query(text))[0], tx: client });
  } finally {
    client.release();
  }
}
`,
    program: `
import { createPool } from 'mysql2/promise';
import { createRowlock } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';
export const pool = createPool('mysql://localhost/app');
export const rowlock = createRowlock({ driver: mysql({ uri: 'mysql://localhost/app' }), handlers: [] });
export const inOne = async (): Promise<unknown> => rowlock.jobs.list({}, { tx: await pool.getConnection() });
`,
  },
} as const;

/** What an application does in its first weeks, each with what must be there in the end. */
const PROGRAM = `
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRowlock, fail } from '@rowlock/core';
import { z } from 'zod';
import { defineHandler, drivers, note, pool, withClient } from './open.js';

const payload = z.object({ n: z.number() });
const HANDLERS = [
  defineHandler({ kind: 'write', payload, async run({ job, tx }) {
    await tx.query(note, [job.payload.n]);
    return { wrote: job.payload.n };
  } }),
  defineHandler({ kind: 'loses-its-writes', payload, attempts: 2, retry: { base: '1ms' }, async run({ job, tx }) {
    await tx.query(note, [job.payload.n]);
    throw new Error('no');
  } }),
  defineHandler({ kind: 'lease', payload, claim: 'lease', async run({ job, progress }) {
    progress({ half: true });
    return job.payload.n;
  } }),
  defineHandler({ kind: 'group', payload, group: true, run: ({ jobs }) => jobs.length }),
  defineHandler({ kind: 'waits', payload, run: ({ signal }) => sleep(60_000, null, { signal }).then(() => null) }),
  defineHandler({ kind: 'refuses', payload, run: () => fail(Object.assign(new Error('wrong'), { code: 'WRONG' })) }),
];
const [Write, Loses, Lease, Group, Waits, Refuses] = HANDLERS;

const warnings = [];
const log = { debug() {}, info() {}, error() {}, warn: (_, message) => warnings.push(message) };

await withClient(({ query }) => query('CREATE TABLE notes (n integer)'));
for (const driver of drivers()) {
  const rowlock = createRowlock({ driver, handlers: HANDLERS, log });
  await rowlock.migrate();
  await rowlock.insight.verify();
  const worker = rowlock.worker({ concurrency: 4 });
  await worker.start();

  const inOne = async (ending, n) => withClient(async ({ query, tx }) => {
    await query('BEGIN');
    const { publicId } = await rowlock.enqueue(Write, { payload: { n } }, { tx });
    await query(ending);
    return publicId;
  });
  const committed = await rowlock.settled(await inOne('COMMIT', 1));
  assert.deepEqual(committed.output, { wrote: 1 });
  assert.equal(await rowlock.find(await inOne('ROLLBACK', 2)), undefined);

  const many = await rowlock.enqueueMany(Write, [3, 4, 5].map((n) => ({ payload: { n } })));
  for (const { publicId } of many) assert.equal((await rowlock.settled(publicId)).status, 'complete');
  const lost = await rowlock.enqueue(Loses, { payload: { n: 6 } });
  assert.deepEqual({ ...(await rowlock.settled(lost.publicId)), error: null }.status, 'error');
  const lease = await rowlock.enqueue(Lease, { payload: { n: 7 } });
  assert.equal((await rowlock.settled(lease.publicId)).output, 7);
  const clicks = await rowlock.enqueueMany(Group, [8, 9].map((n) => ({ key: 'k', payload: { n } })));
  for (const { publicId } of clicks) assert.equal((await rowlock.settled(publicId)).status, 'complete');
  const refused = await rowlock.enqueue(Refuses, { payload: { n: 10 } });
  assert.equal((await rowlock.settled(refused.publicId)).error.code, 'WRONG');

  const first = await rowlock.enqueue(Waits, { payload: { n: 11 }, unique: 'one' });
  const again = await rowlock.enqueue(Waits, { payload: { n: 12 }, unique: 'one' });
  assert.equal(again.publicId, first.publicId);
  while ((await rowlock.find(first.publicId)).status !== 'in-progress') await sleep(20);
  await rowlock.cancel(first.publicId);
  assert.equal((await rowlock.settled(first.publicId)).status, 'cancelled');

  await rowlock.close();
}
const rows = await withClient(({ query }) => query('SELECT DISTINCT n FROM notes ORDER BY n'));
assert.deepEqual(rows.map(({ n }) => n), [1, 3, 4, 5]);
assert.deepEqual(warnings.filter((message) => /pg|mysql2/.test(message)), []);
await pool.end();
console.log('whole');
`;

const VERIFY = `
import { createRowlock } from '@rowlock/core';
import { drivers, pool } from './open.js';

const [driver] = drivers();
const rowlock = createRowlock({ driver, handlers: [] });
await rowlock.migrate();
await rowlock.insight.verify().catch(({ message }) => console.log(message));
await rowlock.close();
await pool.end();
`;

describe.each(Object.entries(DRIVERS))('%s', (client, { driver, older, fresh, open, program }) => {
  /** A project with the packages as npm would bring them, beside a version of the client, and of its types. */
  async function projectWith(version: string, ...others: readonly string[]): Promise<string> {
    const project = join(folder, `${client}-${version.replaceAll(/\W/g, '_')}`);
    await mkdir(project);
    await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
    const packed = ['core', 'sql-drivers', driver].map((name) => archives.get(name) ?? '');
    const flags = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--legacy-peer-deps'];
    const packages = ['zod@4', '@types/node@24', `${client}@${version}`, ...others, ...packed];
    await run('npm', [...flags, ...packages], { cwd: project });
    await writeFile(join(project, 'open.js'), open);
    await writeFile(join(project, 'program.js'), PROGRAM);
    await writeFile(join(project, 'verify.js'), VERIFY);
    await writeFile(join(project, 'types.ts'), program);
    return project;
  }

  async function manifest(): Promise<{ range: string; dependencies: Record<string, string> }> {
    const text = await readFile(join(PACKAGES, driver, 'package.json'), 'utf8');
    const { peerDependencies, dependencies } = JSON.parse(text);
    return { range: peerDependencies[client], dependencies };
  }

  test.each(['lowest', 'latest'])(
    'the %s version of the range',
    async (end) => {
      const { range, dependencies } = await manifest();
      const at = (caret: string) => (end === 'lowest' ? caret.replace('^', '') : caret);
      const types = Object.entries(dependencies).filter(([name]) => name.startsWith('@types/'));
      const project = await projectWith(at(range), ...types.map(([name, caret]) => `${name}@${at(caret)}`));
      const { url, drop } = await fresh();
      onTestFinished(drop);
      const env = { ...process.env, DATABASE_URL: url };
      const done = await run(process.execPath, ['program.js'], { cwd: project, env, timeout: 100_000 });
      // The client complains here, say of a statement that waits behind another one.
      expect(done).toEqual({ stdout: 'whole\n', stderr: '' });
      const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
      await run(process.execPath, [TSC, ...flags, '--skipLibCheck', 'false', 'types.ts'], { cwd: project });
    },
    240_000,
  );

  test('a version below the range is refused, in a sentence', async () => {
    const project = await projectWith(older);
    const { url, drop } = await fresh();
    onTestFinished(drop);
    const env = { ...process.env, DATABASE_URL: url };
    const { stdout } = await run(process.execPath, ['verify.js'], { cwd: project, env, timeout: 60_000 });
    const [lowest = ''] = /\d+\.\d+/.exec((await manifest()).range) ?? [];
    expect(stdout).toContain(
      `Rowlock needs ${client} ${lowest} or later, and has loaded ${older}: npm install`,
    );
  }, 120_000);
});
