import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { call, objects } from './call.js';

type Files = Readonly<Record<string, string | object>>;

/** A folder with files, and what is read of it after a call. */
async function folderWith(files: Files) {
  const folder = await mkdtemp(join(tmpdir(), 'rowlock-init-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  const text = (path: string) => readFile(join(folder, path), 'utf8');
  const all = async () => (await readdir(folder, { recursive: true })).sort();
  return { folder, text, all, init: (...args: string[]) => call(['init', folder, ...args]) };
}

const WHOLE = [
  ...['.github/workflows/ci.yml', '.gitignore', 'README.md', 'compose.yaml', 'package.json'],
  ...['src/jobs/enqueue.ts', 'src/jobs/rowlock.ts', 'src/jobs/welcome.test.ts', 'src/jobs/welcome.ts'],
  ...['src/jobs/worker.ts', 'tsconfig.json'],
];

test('an empty folder becomes a whole project, without a question', async () => {
  const { init, all, text } = await folderWith({ '.git/HEAD': '' });
  const { code, stdout, stderr } = await init();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(await all()).toEqual(expect.arrayContaining(WHOLE));
  for (const path of WHOLE) expect(stdout).toContain(`Wrote ${path}\n`);
  expect(stdout).toMatch(/cd \S+ && npm install\n {2}npm test\n {2}docker compose up -d --wait && npm run/);
  expect(JSON.parse(await text('package.json'))).toMatchObject({
    type: 'module',
    scripts: { 'jobs:worker': 'node src/jobs/worker.ts', test: expect.any(String) },
    dependencies: {
      '@rowlock/driver-postgres': expect.stringMatching(/^\^\d/),
      pg: expect.stringMatching(/^\^8/),
    },
  });
});

test('--dry-run says the same and writes nothing', async () => {
  const { init, all } = await folderWith({});
  const { code, stdout } = await init('--dry-run');
  expect({ code, files: await all() }).toEqual({ code: 0, files: [] });
  for (const path of WHOLE) expect(stdout).toContain(`Would write ${path}\n`);
});

test('a file that is there stays, and is replaced by --force alone', async () => {
  const { init, text } = await folderWith({ 'src/jobs/welcome.ts': 'mine', 'README.md': 'mine' });
  const { code, stdout } = await init();
  expect({ code, own: await text('src/jobs/welcome.ts') }).toEqual({ code: 0, own: 'mine' });
  expect(stdout).toContain('src/jobs/welcome.ts is there already, and stays. --force replaces it.\n');
  await init('--force');
  expect(await text('src/jobs/welcome.ts')).toContain('defineHandler');
});

test('a second call changes nothing', async () => {
  const { init, text } = await folderWith({ 'package.json': { name: 'shop', dependencies: { pg: '8' } } });
  await init();
  const before = await text('package.json');
  const [found] = objects((await init('--json')).stdout);
  expect(found).toMatchObject({ written: [], changed: [] });
  expect(await text('package.json')).toBe(before);
});

test('what was begun and killed is ended by a second call', async () => {
  const { init, all } = await folderWith({ 'src/jobs/welcome.ts': 'a part', 'tsconfig.json': '{}' });
  await init();
  expect(await all()).toEqual(expect.arrayContaining(WHOLE));
});

test('a package.json keeps its indent, its order and its own entries', async () => {
  const own = `{\n\t"name": "shop",\n\t"scripts": { "jobs:worker": "mine" },\n\t"dependencies": { "zod": "^3.25.0", "pg": "^8.0.0" }\n}\n`;
  const { init, text } = await folderWith({ 'package.json': own });
  await init();
  const changed = await text('package.json');
  expect(changed).toMatch(/^\{\n\t"name": "shop",\n\t"scripts": \{\n\t\t/);
  expect(JSON.parse(changed)).toMatchObject({
    scripts: { 'jobs:worker': 'mine' },
    dependencies: { zod: '^3.25.0', pg: '^8.0.0' },
  });
});

const MODULE = { name: 'shop', type: 'module' };

test.each<{ has: string; files: Files; found: object; path: string; texts: readonly string[] }>([
  {
    has: 'Drizzle, vitest, pnpm and TypeScript in modules',
    files: {
      'package.json': {
        ...MODULE,
        dependencies: { 'drizzle-orm': '1', pg: '8' },
        devDependencies: { vitest: '5' },
      },
      'tsconfig.json': '{ // as tsc --init\n "compilerOptions": { "module": "nodenext", }, }',
      'pnpm-lock.yaml': '',
      'src/index.ts': '',
    },
    found: { engine: 'postgres', manager: 'pnpm', tests: 'vitest' },
    path: 'src/jobs/transaction.ts',
    texts: ["{ fromDrizzle } from '@rowlock/adapters/drizzle'", "from './rowlock.js'"],
  },
  {
    has: 'TypeORM, jest and TypeScript in CommonJS, as Nest',
    files: {
      'package.json': {
        name: 'shop',
        scripts: { test: 'jest' },
        dependencies: { typeorm: '1', mysql2: '3' },
      },
      'tsconfig.json': { compilerOptions: { module: 'commonjs' } },
      'src/main.ts': '',
      'yarn.lock': '',
    },
    found: { engine: 'mysql', manager: 'yarn', tests: 'jest' },
    path: 'src/jobs/transaction.ts',
    texts: ["{ fromTypeORM } from '@rowlock/adapters/typeorm'", "from './rowlock'"],
  },
  {
    has: 'Knex and JavaScript in CommonJS',
    files: { 'package.json': { name: 'shop', dependencies: { knex: '3', mysql2: '3' } }, 'bun.lock': '' },
    found: { engine: 'mysql', manager: 'bun', tests: 'node' },
    path: 'jobs/transaction.js',
    texts: [
      "const { rowlock } = require('./rowlock.js');",
      'module.exports = { welcomeIn };',
      '(name, ...tx) =>',
    ],
  },
  {
    has: 'settings that it extends, and imports that end with .ts',
    files: {
      'package.json': { ...MODULE, packageManager: 'yarn@4.18.1', devDependencies: { typescript: '7' } },
      'tsconfig.json': { extends: './base' },
      'base.json': { compilerOptions: { rewriteRelativeImportExtensions: true } },
    },
    found: { engine: 'postgres', manager: 'yarn', tests: 'node' },
    path: 'jobs/worker.ts',
    texts: ["from './rowlock.ts'"],
  },
  {
    has: 'a bundler, Prisma and the tests of Bun',
    files: {
      'package.json': {
        ...MODULE,
        scripts: { test: 'bun test' },
        dependencies: { '@prisma/client': '7', next: '16' },
      },
      'tsconfig.json': { compilerOptions: { module: 'esnext', moduleResolution: 'bundler' } },
    },
    found: { engine: 'postgres', tests: 'bun' },
    path: 'jobs/welcome.test.ts',
    texts: ["from 'bun:test'", "from './welcome'"],
  },
])('a project with $has gets what fits it', async ({ files, found, path, texts }) => {
  const { init, text } = await folderWith({ '.git/HEAD': '', ...files });
  const { stdout, stderr } = await init('--json');
  expect(stderr).toBe('');
  expect(objects(stdout)).toEqual([expect.objectContaining(found)]);
  const written = await text(path);
  for (const part of texts) expect(written).toContain(part);
});

test('a package of a workspace has the package manager of the whole, and no workflow of its own', async () => {
  const { folder, all } = await folderWith({
    '.git/HEAD': '',
    'pnpm-lock.yaml': '',
    'packages/mail/package.json': MODULE,
  });
  const { stdout } = await call(['init', join(folder, 'packages/mail'), '--json']);
  expect(objects(stdout)).toEqual([expect.objectContaining({ manager: 'pnpm' })]);
  expect((await all()).filter((path) => path.includes('.github'))).toEqual([]);
});

test.each<[Files, string]>([
  [{ 'pnpm-workspace.yaml': 'packages: ["packages/*"]' }, 'pnpm'],
  [{ 'package.json': { workspaces: ['packages/*'] }, 'yarn.lock': '' }, 'yarn'],
  [{ 'package.json': { workspaces: { packages: ['packages/*'] } }, 'bun.lock': '' }, 'bun'],
  [{ 'package.json': {}, 'yarn.lock': '' }, 'npm'],
])('without git, a package below %j has the package manager %s', async (root, manager) => {
  const { folder } = await folderWith({ ...root, 'packages/mail/package.json': MODULE });
  const { stdout } = await call(['init', join(folder, 'packages/mail'), '--json', '--dry-run']);
  expect(objects(stdout)).toEqual([expect.objectContaining({ manager })]);
});

test('a package.json keeps its line ends', async () => {
  const { init, text } = await folderWith({ 'package.json': '{\r\n\t"type": "module"\r\n}\r\n' });
  await init();
  const written = await text('package.json');
  expect(written).toContain('\r\n\t"scripts": {\r\n');
  expect(written.replaceAll('\r\n', '')).not.toContain('\n');
});

test.each([
  ['shop', 'cd shop && '],
  ['-x', "cd './-x' && "],
  ['a b', "cd './a b' && "],
  ["it's $(date) `date` \u00fc", "cd './it'\\''s $(date) `date` \u00fc' && "],
])('a shell goes into the folder %s, and runs nothing of its name', async (name, command) => {
  const { folder } = await folderWith({});
  const before = process.cwd();
  process.chdir(folder);
  onTestFinished(() => process.chdir(before));
  const { stdout } = await call(['init', '--dry-run', '--', name]);
  expect(stdout).toContain(command);
});

test('compose files and workflows of another name are not pushed aside', async () => {
  const { init, all } = await folderWith({
    'package.json': MODULE,
    'docker-compose.yml': '',
    '.gitlab-ci.yml': '',
  });
  await init();
  expect(await all()).not.toEqual(expect.arrayContaining([expect.stringMatching(/compose\.yaml|\.github/)]));
});

test.each<[Files, string[], RegExp]>([
  [{ 'package.json': '[]' }, [], /package\.json is no object of JSON: mend it first\./],
  [{ 'main.py': '' }, [], /has files, as main\.py, and no package\.json: name a new folder/],
  [
    { 'package.json': { dependencies: { pg: '8', mysql2: '3' } } },
    [],
    /clients of Postgres and of MySQL: pass --server postgres or --server mysql\./,
  ],
  [{}, ['--server', 'oracle'], /Allowed choices are postgres, mysql/],
  [{}, ['--tests', 'mocha'], /Allowed choices are node, vitest, jest, bun/],
])('%j with %j is misuse, and nothing is written', async (files, args, sentence) => {
  const { init, all } = await folderWith(files);
  const before = await all();
  expect(await init(...args)).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(sentence) });
  expect(await all()).toEqual(before);
});

test('a folder without a name is misuse: a variable may have been empty', async () => {
  const { code, stderr } = await call(['init', '', '--dry-run']);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('The folder has no name') });
});

test('what cannot be written is one sentence', async () => {
  const { folder } = await folderWith({ 'package.json': MODULE, jobs: 'a file' });
  const { code, stderr } = await call(['init', folder]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/jobs cannot be written \(EEXIST\)/),
  });
  const file = await call(['init', join(folder, 'jobs')]);
  expect(file).toMatchObject({ code: 2, stderr: expect.stringContaining('jobs is no folder.') });
});

test('a person is asked for the database, and for nothing else', async () => {
  const { folder, text } = await folderWith({});
  const { code, stderr } = await call(['init', folder], { columns: 80, stdin: 'my\n' });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Which database') });
  expect(await text('src/jobs/rowlock.ts')).toContain('@rowlock/driver-mysql');
});
