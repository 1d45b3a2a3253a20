import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freshDatabase, freshMysqlDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { type LocalRegistry, startLocalRegistry } from './local-registry.js';
import { publishedPackages } from './pack-all.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { resolve } = createRequire(import.meta.url);
const UPSTREAM = process.env.npm_config_registry ?? 'https://registry.npmjs.org/';

let folder: string;
let registry: LocalRegistry;
let env: NodeJS.ProcessEnv;

/** The release itself, by the command of CONTRIBUTING.md, to a registry in this process. The packages are built already. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rowlock-published-'));
  registry = await startLocalRegistry(UPSTREAM);
  const host = registry.url.replace(/^http:/, '');
  await writeFile(join(folder, 'npmrc'), `registry=${registry.url}\n${host}:_authToken=rehearsal\n`);
  await lendContents(join(folder, 'npm-cache'));
  env = settings();
  await run(ROOT, 'pnpm', 'changeset', 'publish', '--no-git-tag');
}, 300_000);

afterAll(async () => {
  registry.close();
  await rm(folder, { recursive: true, force: true });
});

/** What npm has downloaded on this machine, without the installations that npx keeps by name and version. */
async function lendContents(cache: string): Promise<void> {
  const contents = join(process.env.npm_config_cache ?? join(homedir(), '.npm'), '_cacache');
  await mkdir(contents, { recursive: true });
  await mkdir(cache);
  await symlink(contents, join(cache, '_cacache'));
}

/** Those of package managers, and none of the one that runs this test. */
function settings(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !/^(npm|pnpm|yarn|bun)_/i.test(name));
  return {
    ...Object.fromEntries(others),
    CI: 'true',
    npm_config_userconfig: join(folder, 'npmrc'),
    npm_config_registry: registry.url,
    // Only the machines of continuous integration can attest where they have built.
    npm_config_provenance: 'false',
    npm_config_ignore_scripts: 'true',
    pnpm_config_ignore_scripts: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    // Caches by version would give what an earlier rehearsal has published.
    npm_config_cache: join(folder, 'npm-cache'),
    YARN_ENABLE_GLOBAL_CACHE: 'false',
    YARN_ENABLE_MIRROR: 'false',
    YARN_ENABLE_TELEMETRY: 'false',
    YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
    YARN_NPM_REGISTRY_SERVER: registry.url,
    YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
    BUN_CONFIG_REGISTRY: registry.url,
    BUN_INSTALL_CACHE_DIR: join(folder, 'bun-cache'),
  };
}

async function run(cwd: string, program: string, ...args: readonly string[]): Promise<string> {
  try {
    const options = { cwd, env, maxBuffer: 64 * 1_024 * 1_024 };
    return (await promisify(execFile)(program, [...args], options)).stdout;
  } catch (error) {
    const { stdout, stderr } = Object(error);
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}

/** Bun's own binary, of the package for this platform. */
function bun(): string {
  const arch = process.arch === 'arm64' ? 'aarch64' : process.arch;
  const manifest = createRequire(resolve('bun/package.json')).resolve(
    `@oven/bun-${process.platform}-${arch}/package.json`,
  );
  return join(dirname(manifest), 'bin/bun');
}

const YARN = [process.execPath, resolve('@yarnpkg/cli-dist/bin/yarn.js')];

/** How people begin, install and test with each package manager. */
const MANAGERS = [
  {
    name: 'npm',
    server: 'postgres',
    create: ['npm', 'create', '--yes', 'rowlock@latest', 'npm', '--', '--server', 'postgres'],
    install: ['npm', 'install'],
    run: ['npm', 'run', '--silent'],
  },
  {
    name: 'pnpm',
    server: 'mysql',
    create: ['pnpm', 'create', 'rowlock@latest', 'pnpm', '--server', 'mysql'],
    install: ['pnpm', 'install'],
    run: ['pnpm', '--silent', 'run'],
  },
  {
    name: 'yarn',
    server: 'postgres',
    create: [...YARN, 'dlx', '--quiet', 'create-rowlock', 'yarn', '--server', 'postgres'],
    install: [...YARN, 'install'],
    run: [...YARN, 'run'],
  },
  {
    name: 'bun',
    server: 'mysql',
    create: [bun(), 'create', 'rowlock', 'bun', '--server', 'mysql'],
    install: [bun(), 'install'],
    run: [bun(), 'run', '--silent'],
  },
] as const;

const DATABASES = {
  postgres: () => freshDatabase(inject('postgresUrl')),
  mysql: () => freshMysqlDatabase(inject('mysqlUrl')),
};

test('every public package is published', () => {
  const names = publishedPackages().map(({ name }) => name);
  expect([...registry.published.keys()].sort()).toEqual(names.sort());
});

/** Two minutes is what a newcomer is promised, from the empty folder to a job that is settled on a database. */
const PROMISED_MS = 120_000;

test.each(MANAGERS)(
  'from an empty folder to a settled job: $name on $server',
  async ({ name, server, create, install, run: script }) => {
    const project = join(folder, name);
    const [creator = '', ...created] = create;
    expect(await run(folder, creator, ...created)).toContain('Wrote src/jobs/welcome.ts');
    const [installer, ...installed] = install;
    await run(project, installer, ...installed);
    const [runner, ...words] = script;
    expect(await run(project, runner, ...words, 'test')).toMatch(/pass 1\b/);

    const { url, drop } = await DATABASES[server]();
    onTestFinished(drop);
    env.DATABASE_URL = url;
    await settles(project, script, name === 'npm' ? ['--'] : []);
  },
  PROMISED_MS,
);

/** A worker of a project settles the job that a second process enqueues, and stops in good order. */
async function settles(
  project: string,
  [runner = '', ...words]: readonly string[],
  dashes: readonly string[] = [],
): Promise<void> {
  const worker = spawn(runner, [...words, 'jobs:worker'], { cwd: project, env, detached: true });
  onTestFinished(() => stop(worker, 'SIGKILL'));
  const [ended, errors] = [once(worker, 'exit'), text(worker.stderr)];
  await Promise.race([once(worker.stdout, 'data'), ended]);
  const said = await run(project, runner, ...words, 'jobs:welcome', ...dashes, 'Grace');
  expect(said).toContain('complete: Welcome, Grace!');
  stop(worker, 'SIGINT');
  await ended;
  expect(await errors).not.toMatch(/Error/);
}

/** As a terminal does it: all processes of the group. */
function stop({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal);
}

/** Projects that are there. The test runners are those of this repository, because what they are is no matter here. */
const EXISTING = [
  {
    name: 'TypeScript in modules, and vitest',
    manifest: { type: 'module', scripts: { test: 'vitest' }, dependencies: { pg: '^8.23.1' } },
    options: { module: 'nodenext', strict: true },
    server: 'postgres',
  },
  {
    name: "TypeScript in CommonJS, and Bun's tests",
    manifest: { scripts: { test: 'bun test' }, dependencies: { mysql2: '^3.24.5' } },
    options: { module: 'commonjs', strict: true },
    server: 'mysql',
  },
  {
    name: 'JavaScript in CommonJS, and jest',
    manifest: { scripts: { test: 'jest' }, dependencies: { pg: '^8.23.1' } },
    options: null,
    server: 'postgres',
  },
] as const;

test.each(EXISTING)('jobs are added to a project: $name', async ({ manifest, options, server }) => {
  const project = await mkdtemp(join(folder, 'existing-'));
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest));
  if (options !== null)
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }));
  await run(project, 'npx', '--yes', '@rowlock/cli', 'init');
  await run(project, 'npm', 'install');
  await lend(join(ROOT, 'node_modules'), join(project, 'node_modules'));
  env.PATH = [
    ...[dirname(bun()), join(ROOT, 'node_modules/.bin'), join(ROOT, 'tooling/tarballs/node_modules/.bin')],
    process.env.PATH,
  ].join(delimiter);
  await run(project, 'npm', 'run', 'jobs:test');

  const { url, drop } = await DATABASES[server]();
  onTestFinished(drop);
  env.DATABASE_URL = url;
  await settles(project, ['npm', 'run', '--silent'], ['--']);
});

test("README's quick start runs in a project of npm's, and its types are whole", async () => {
  const project = join(folder, 'npm');
  const page = await readFile(join(ROOT, 'README.md'), 'utf8');
  await writeFile(join(project, 'src/first.ts'), /## Quick start.*?```ts\n(.*?)```/s.exec(page)?.[1] ?? '');
  const { url, drop } = await DATABASES.postgres();
  onTestFinished(drop);
  env.DATABASE_URL = url;
  expect(await run(project, process.execPath, 'src/first.ts')).toBe('complete Hello Ada\n');
  await run(project, 'npm', 'run', 'typecheck');
});

test('the declarations of all public entries are whole, in modules and in CommonJS', async () => {
  const project = join(folder, 'types');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  const names = publishedPackages().map(({ name }) => name);
  await run(project, 'npm', 'install', '--legacy-peer-deps', ...names, '@types/node@24');
  // Their peers, as they are tested with.
  for (const from of globSync('packages/*/node_modules', { cwd: ROOT }))
    await lend(join(ROOT, from), join(project, 'node_modules'));
  const entries = (await Promise.all(names.map((name) => entriesOf(project, name)))).flat();
  expect(entries.length).toBeGreaterThan(names.length);
  const asModules = entries.map(({ entry }) => entry);
  const asCommonJs = entries.filter(({ isRequired }) => isRequired).map(({ entry }) => entry);
  await writeFile(join(project, 'all.mts'), exporting(asModules));
  await writeFile(join(project, 'all.cts'), exporting(asCommonJs));
  const tsc = resolve('typescript/package.json').replace(/package\.json$/, 'bin/tsc');
  const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--module', 'nodenext'];
  const found = await run(
    project,
    process.execPath,
    ...[tsc, ...flags, '--target', 'es2023', '--types', 'node', 'all.mts', 'all.cts'],
  ).catch((error: Error) => error.message);
  // The faults of other people's declarations are theirs.
  expect(found.split('\n').filter((line) => /^(all|node_modules\/@rowlock|error)/.test(line))).toEqual([]);
}, 240_000);

/** Links what another folder of modules has and this one lacks. */
async function lend(from: string, to: string): Promise<void> {
  for (const path of globSync('{@*/*,[!@.]*}', { cwd: from })) {
    if (existsSync(join(to, path)) || path.startsWith('@rowlock/')) continue;
    await mkdir(dirname(join(to, path)), { recursive: true });
    await symlink(join(from, path), join(to, path));
  }
}

/** What a package lets people import, and whether it has a build for those who require it. */
async function entriesOf(project: string, name: string) {
  const manifest = await readFile(join(project, 'node_modules', name, 'package.json'), 'utf8');
  const exported: Readonly<Record<string, object>> = JSON.parse(manifest).exports;
  return Object.entries(exported)
    .filter(([path]) => path !== './package.json')
    .map(([path, conditions]) => ({ entry: name + path.slice(1), isRequired: 'require' in conditions }));
}

function exporting(entries: readonly string[]): string {
  return entries.map((entry, place) => `export * as _${place} from '${entry}';\n`).join('');
}
