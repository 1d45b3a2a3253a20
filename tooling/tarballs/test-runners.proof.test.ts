import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { packAll } from './pack-all.mjs';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const { version } = require('vitest/package.json');

/** Bun's own binary, of the package for this platform. */
const BUN = createRequire(require.resolve('bun/package.json')).resolve(
  `@oven/bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}/bin/bun`,
);

/** The packages, each with what a test takes from it. */
const IMPORTS = {
  'node:assert/strict': 'strict as assert',
  '@rowlock/core': 'createRowlock',
  '@rowlock/driver-memory': 'memory, defineHandler as define',
  '@rowlock/driver-postgres': 'defineHandler, postgres',
  '@rowlock/testing': 'emptyDatabase, jobsOf, runHandler',
  pg: 'Client',
  zod: 'z',
};

/** The tests of an application, in whatever runner. */
const TESTS = `
const connectionString = process.env.DATABASE_URL;
const client = new Client({ connectionString });

const Thank = defineHandler({ kind: 'thank', payload: z.null(), run: () => 'thanked' });
const Confirm = defineHandler({
  kind: 'confirm',
  payload: z.object({ order: z.number() }),
  async run({ job, tx, enqueue }) {
    await tx.query('INSERT INTO orders VALUES ($1)', [job.payload.order]);
    await enqueue(Thank, { payload: null });
    return job.payload.order;
  },
});
const rowlock = createRowlock({ driver: postgres({ connectionString }), handlers: [Confirm, Thank] });

beforeAll(async () => {
  await client.connect();
  await client.query('CREATE TABLE orders (id integer)');
  await rowlock.migrate();
});
beforeEach(() => emptyDatabase(rowlock));
afterAll(async () => {
  await rowlock.close();
  await client.end();
});

test('one handler', async () => {
  await client.query('BEGIN');
  const { outcome, output, enqueued } = await runHandler(Confirm, { order: 7 }, { tx: client });
  assert.deepEqual({ outcome, output, enqueued: enqueued.length }, { outcome: 'complete', output: 7, enqueued: 1 });
  await client.query('ROLLBACK');
});

test('what a call enqueues, and the whole way', async () => {
  const [job] = await jobsOf(rowlock, Confirm, () => rowlock.enqueue(Confirm, { payload: { order: 8 } }));
  assert.deepEqual(job.payload, { order: 8 });
  const { ended, completed } = await rowlock.runUntilIdle();
  assert.deepEqual({ ended, completed }, { ended: 'idle', completed: 2 });
  const { rows } = await client.query('SELECT id FROM orders');
  assert.deepEqual(rows, [{ id: 8 }]);
});

test('three days in memory', async () => {
  const driver = memory();
  const Remind = define({ kind: 'remind', payload: z.null(), run: ({ tx }) => tx.insert('reminders', 'a', true) });
  const inMemory = createRowlock({ driver, handlers: [Remind] });
  await inMemory.migrate();
  await inMemory.enqueue(Remind, { payload: null, delay: '3d' });
  driver.database.clock.advance('3d');
  await inMemory.runUntilIdle();
  assert.deepEqual(await driver.database.list('reminders'), [true]);
  await inMemory.close();
});
`;

const asModules = (runner: string): string =>
  Object.entries(IMPORTS)
    .map(([from, names]) => `import { ${names} } from '${from}';`)
    .join('\n') +
  runner +
  TESTS;

const asCommonJs = (): string =>
  Object.entries(IMPORTS)
    .map(([from, names]) => `const { ${names.replaceAll(' as ', ': ')} } = require('${from}');`)
    .join('\n') + TESTS;

let project: string;

/** An empty project with what npm brings: the packages as they would be published, and the runners that are not here. */
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'rowlock-runners-'));
  await writeFile(join(project, 'package.json'), '{ "name": "runners", "private": true }\n');
  const wanted = /rowlock-(core|sql-drivers|driver-memory|driver-postgres|testing)-\d/;
  const tarballs = (await packAll(project)).filter((archive) => wanted.test(archive));
  const flags = ['install', '--no-audit', '--no-fund', '--prefer-offline'];
  await run('npm', [...flags, 'zod', 'pg', `vitest@${version}`, ...tarballs], { cwd: project });
}, 240_000);

afterAll(() => rm(project, { recursive: true, force: true }));

const JEST = [require.resolve('jest/bin/jest'), '--ci', '--runInBand'];

const RUNNERS = [
  {
    name: 'Vitest',
    source: asModules("\nimport { afterAll, beforeAll, beforeEach, test } from 'vitest';\n"),
    command: () => [process.execPath, join(project, 'node_modules/vitest/vitest.mjs'), 'run'],
  },
  {
    name: 'node:test',
    source: asModules(
      "\nimport { after as afterAll, before as beforeAll, beforeEach, test } from 'node:test';\n",
    ),
    command: () => [process.execPath, '--test', 'jobs.test.js'],
  },
  {
    name: 'jest in ES modules',
    source: asModules('\n'),
    command: () => [process.execPath, '--experimental-vm-modules', ...JEST],
  },
  { name: 'jest in CommonJS', source: asCommonJs(), command: () => [process.execPath, ...JEST] },
  {
    name: 'Bun',
    source: asModules("\nimport { afterAll, beforeAll, beforeEach, test } from 'bun:test';\n"),
    command: () => [BUN, 'test'],
  },
];

// Each ends by itself only if nothing of Rowlock is left over.
test.each(RUNNERS)('the tests of an application run in $name', async ({ name, source, command }) => {
  const database = await freshDatabase(inject('postgresUrl'));
  const cwd = join(project, name.replaceAll(/\W+/g, '-').toLowerCase());
  try {
    await mkdir(cwd);
    const type = name === 'jest in CommonJS' ? 'commonjs' : 'module';
    await writeFile(join(cwd, 'package.json'), JSON.stringify({ type, jest: { testEnvironment: 'node' } }));
    await writeFile(join(cwd, 'jobs.test.js'), source);
    const [program = '', ...args] = command();
    const env = { ...process.env, DATABASE_URL: database.url, NODE_ENV: 'test' };
    const { stdout, stderr } = await run(program, args, { cwd, env, timeout: 100_000 });
    expect(stripVTControlCharacters(stdout + stderr)).toMatch(/\b3 (?:pass|passed)\b|pass 3\b/);
  } finally {
    await database.drop();
  }
});
