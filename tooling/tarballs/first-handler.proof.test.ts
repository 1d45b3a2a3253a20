import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { freshDatabase, freshMysqlDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { packAll } from './pack-all.mjs';

const run = promisify(execFile);
const onWindows = process.platform === 'win32';

let project: string;
let program: string;
/** The same, with the lines of docs/run/databases.md for MySQL in the place of Postgres's. */
let onMysql: string;

/** An empty project with nothing but what npm would bring its user. */
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'rowlock-first-'));
  await writeFile(join(project, 'package.json'), '{ "name": "first", "private": true, "type": "module" }\n');
  const tarballs = await packAll(project);
  // The README's own command, with the tarballs in the place of the names.
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', 'zod', ...tarballs], {
    cwd: project,
    shell: onWindows,
  });
  const page = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
  program = /## Quick start.*?```ts\n(.*?)```/s.exec(await page('README.md'))?.[1] ?? '';
  const [, theImport = '', theDriver = ''] =
    /```ts \[MySQL\]\n(import .*?\n)\nconst driver = (.*?);\n```/s.exec(
      await page('docs/run/databases.md'),
    ) ?? [];
  onMysql = program
    .replace(/^import .* from .@rowlock\/driver-postgres.;\n/m, theImport)
    .replace(/driver: postgres\(.*\),/, `driver: ${theDriver},`);
}, 240_000);

afterAll(() => rm(project, { recursive: true, force: true }));

const databases = [
  { name: 'Postgres', fresh: () => freshDatabase(inject('postgresUrl')), first: () => program },
  { name: 'MySQL', fresh: () => freshMysqlDatabase(inject('mysqlUrl')), first: () => onMysql },
];

test.each(databases)(
  "the README's first handler runs on what is published, on $name",
  async ({ fresh, first }) => {
    const database = await fresh();
    try {
      await writeFile(join(project, 'first.js'), first());
      const env = { ...process.env, DATABASE_URL: database.url };
      const { stdout } = await run(process.execPath, ['first.js'], { cwd: project, env });
      expect(stdout).toBe('complete Hello Ada\n');
    } finally {
      await database.drop();
    }
  },
);

test.each(databases)('its types are whole, on $name', async ({ first }) => {
  await writeFile(join(project, 'first.ts'), first());
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace(/package\.json$/, 'bin/tsc');
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  await run(process.execPath, [tsc, ...flags, 'first.ts'], { cwd: project });
});

test("a handler class is decorated and built by one tsyringe, which is the application's", async () => {
  await run(
    'npm',
    ['install', '--no-audit', '--no-fund', '--prefer-offline', 'tsyringe', 'reflect-metadata'],
    { cwd: project, shell: onWindows },
  );
  const database = await freshDatabase(inject('postgresUrl'));
  try {
    await writeFile(
      join(project, 'classes.ts'),
      await readFile(new URL('../../examples/06-classes.ts', import.meta.url)),
    );
    const tsc = createRequire(import.meta.url)
      .resolve('typescript/package.json')
      .replace(/package\.json$/, 'bin/tsc');
    const flags = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
    await run(process.execPath, [tsc, ...flags, '--experimentalDecorators', 'classes.ts'], { cwd: project });
    const env = { ...process.env, DATABASE_URL: database.url };
    expect((await run(process.execPath, ['classes.js'], { cwd: project, env })).stdout).toBe('7\n');
  } finally {
    await database.drop();
  }
  const found = await run('npm', ['ls', 'tsyringe', 'reflect-metadata', '--all', '--parseable'], {
    cwd: project,
    shell: onWindows,
  });
  const names = found.stdout
    .trim()
    .split('\n')
    .map((path) => basename(path));
  expect(names.sort()).toEqual(['reflect-metadata', 'tsyringe']);
});

/** A program in CommonJS, as older applications and jest are: with the driver of each database. */
const COMMONJS = `
const { createRowlock, isDriverError } = require('@rowlock/core');
const { defineHandler, postgres } = require('@rowlock/driver-postgres');
const { mysql } = require('@rowlock/driver-mysql');
const { z } = require('zod');

exports.work = async (url) => {
  const driver = url.startsWith('mysql') ? mysql({ uri: url }) : postgres({ connectionString: url });
  const Greet = defineHandler({
    kind: 'greet',
    payload: z.object({ name: z.string() }),
    run: ({ job }) => 'Hello ' + job.payload.name,
  });
  const rowlock = createRowlock({ driver, handlers: [Greet] });
  await rowlock.migrate();
  const worker = rowlock.worker();
  await worker.start();
  const { publicId } = await rowlock.enqueue(Greet, { payload: { name: 'Ada' } });
  const job = await rowlock.settled(publicId);
  await rowlock.close();
  return job.output;
};
exports.parts = { createRowlock, isDriverError };
`;

test('CommonJS requires the very modules that others import', async () => {
  await mkdir(join(project, 'commonjs'), { recursive: true });
  await writeFile(join(project, 'commonjs/package.json'), '{ "type": "commonjs" }\n');
  await writeFile(join(project, 'commonjs/work.js'), COMMONJS);
  const program = `
    const { parts } = require('./work.js');
    import('@rowlock/core').then((core) => console.log(Object.keys(parts).every((name) => parts[name] === core[name])));
  `;
  await writeFile(join(project, 'commonjs/same.js'), program);
  const { stdout } = await run(process.execPath, ['same.js'], { cwd: join(project, 'commonjs') });
  expect(stdout).toBe('true\n');
});

test.each(databases)('jest in CommonJS runs a job, on $name', async ({ name, fresh }) => {
  const database = await fresh();
  const folder = join(project, `jest-${name}`);
  try {
    await mkdir(folder);
    await writeFile(
      join(folder, 'package.json'),
      '{ "type": "commonjs", "jest": { "testEnvironment": "node" } }\n',
    );
    await writeFile(join(folder, 'work.js'), COMMONJS);
    const program = `
      const { work } = require('./work.js');
      test('greets', async () => expect(await work(${JSON.stringify(database.url)})).toBe('Hello Ada'), 60_000);
    `;
    await writeFile(join(folder, 'work.test.js'), program);
    const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
    // It ends by itself only if nothing of Rowlock is left over.
    await run(process.execPath, [jest, '--ci', '--runInBand'], { cwd: folder });
  } finally {
    await database.drop();
  }
});

test('its types are whole in CommonJS', async () => {
  await writeFile(
    join(project, 'required.cts'),
    `import { z } from 'zod';
     import { createRowlock, type Rowlock } from '@rowlock/core';
     import { defineHandler, postgres, type PostgresTransaction } from '@rowlock/driver-postgres';
     const Greet = defineHandler({ kind: 'greet', payload: z.null(), run: ({ tx }) => tx.query('SELECT 1').then(() => null) });
     export const rowlock: Rowlock<PostgresTransaction> = createRowlock({ driver: postgres({}), handlers: [Greet] });\n`,
  );
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace(/package\.json$/, 'bin/tsc');
  for (const module of ['node16', 'nodenext'])
    await run(
      process.execPath,
      [
        tsc,
        '--noEmit',
        '--strict',
        '--module',
        module,
        '--target',
        'es2023',
        '--types',
        'node',
        'required.cts',
      ],
      { cwd: project },
    );
});

test('what an application may have itself is not pinned', async () => {
  const of = async (name: string): Promise<Record<string, Record<string, string>>> =>
    JSON.parse(await readFile(join(project, 'node_modules/@rowlock', name, 'package.json'), 'utf8'));
  const caret = expect.stringMatching(/^\^\d/);
  const core = await of('core');
  expect(Object.values(core.peerDependenciesMeta ?? {})).toEqual([{ optional: true }, { optional: true }]);
  expect(core.peerDependencies).toEqual({ tsyringe: caret, 'reflect-metadata': caret });
  expect(core.dependencies).not.toHaveProperty('tsyringe');
  expect(await of('driver-postgres')).toMatchObject({
    peerDependencies: { pg: caret },
    dependencies: { '@types/pg': caret },
  });
  expect(await of('driver-mysql')).toMatchObject({ peerDependencies: { mysql2: caret } });
  expect((await of('telemetry')).peerDependencies).toEqual({ '@opentelemetry/api': caret });
  expect((await of('plugin-google-sheets')).dependencies).toMatchObject({ zod: caret });
});

const DASHBOARD = `
import { createRowlock } from '@rowlock/core';
import { createDashboard } from '@rowlock/dashboard';
import { memory } from '@rowlock/driver-memory';

const rowlock = createRowlock({ driver: memory(), handlers: [] });
const dashboard = createDashboard({ rowlock, access: () => 'read-only' });
const get = async (path) => (await dashboard.fetch(new Request('http://localhost/' + path))).text();
const [, file] = /src="\\.\\/(assets\\/[^"]+)"/.exec(await get('')) ?? [];
console.log((await get(file)).length > 10_000);
await rowlock.close();
`;

test('the dashboard brings its page', async () => {
  await writeFile(join(project, 'dashboard.js'), DASHBOARD);
  const { stdout } = await run(process.execPath, ['dashboard.js'], { cwd: project });
  expect(stdout).toBe('true\n');
});

test('a DBA gets the migrations from the command', async () => {
  const { stdout } = await run(
    'npx',
    ['--no-install', '@rowlock/cli', 'sql', 'postgres', '--schema', 'my jobs'],
    {
      cwd: project,
      shell: onWindows,
    },
  );
  expect(stdout).toContain('CREATE SCHEMA IF NOT EXISTS "my jobs";');
  expect(stdout).toContain('CREATE TABLE job (');

  const mysql = await run('npx', ['--no-install', '@rowlock/cli', 'sql', 'mysql', '--schema', 'my jobs'], {
    cwd: project,
    shell: onWindows,
  });
  expect(mysql.stdout).toContain('USE `my jobs`;');
  expect(mysql.stdout).toContain('CREATE TABLE IF NOT EXISTS rowlock_job (');
});
