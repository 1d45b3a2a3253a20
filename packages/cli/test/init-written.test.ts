import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freshDatabase, freshMysqlDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { call } from './call.js';

const run = promisify(execFile);
const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

/** In this package, so that Rowlock's packages are found as they are built. */
let within: string;
beforeAll(async () => {
  within = await mkdtemp(join(PACKAGE, '.written-'));
});
afterAll(() => rm(within, { recursive: true, force: true }));

async function project(name: string, manifest: object | null, options: object, ...args: string[]) {
  const folder = join(within, name);
  await mkdir(folder);
  if (manifest !== null) {
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    if (Object.keys(options).length > 0)
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }));
  }
  expect(await call(['init', folder, ...args])).toMatchObject({ code: 0, stderr: '' });
  return folder;
}

const STRICT = { strict: true, target: 'es2023', noEmit: true, types: ['node'], skipLibCheck: true };

const TYPED_BY_TABLES = `
import type { fromKysely } from '@rowlock/adapters/kysely';
import { welcomeIn } from './jobs/transaction';
declare const trx: Parameters<typeof fromKysely<{ orders: { id: number } }>>[0];
export const called = welcomeIn('Ada', trx);
`;

test.each<[string, object | null, object]>([
  ['new', null, {}],
  [
    'modules',
    { type: 'module', dependencies: { 'drizzle-orm': '1', pg: '8', express: '5' } },
    { module: 'nodenext' },
  ],
  ['commonjs', { dependencies: { kysely: '1', mysql2: '3', fastify: '5' } }, { module: 'node16' }],
  [
    'bundled',
    { dependencies: { sequelize: '6', pg: '8', hono: '4' } },
    { module: 'esnext', moduleResolution: 'bundler' },
  ],
])('the types of what is written are whole: %s', async (name, manifest, options) => {
  const folder = await project(name, manifest, { ...STRICT, ...options });
  if (name === 'commonjs') await writeFile(join(folder, 'caller.ts'), TYPED_BY_TABLES);
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace(/package\.json$/, 'bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch((error) => error);
  expect(stdout).toBe('');
});

test('a new project and one in CommonJS settle a job in memory', async () => {
  const manifest = { dependencies: { knex: '3', pg: '8', fastify: '5' } };
  const folders = [await project('fresh', null, {}), await project('required', manifest, {})];
  for (const [folder, file] of [
    [folders[0], 'src/jobs/welcome.test.ts'],
    [folders[1], 'jobs/welcome.test.js'],
  ] as const) {
    const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', file], { cwd: folder });
    expect(stdout).toContain('ok 1 - a job is settled in memory, without a database');
  }
  // What is there for the ORM and the framework loads as well.
  const loaded = "require('./jobs/transaction.js'); require('./jobs/routes.js')";
  await run(process.execPath, ['-e', loaded], { cwd: folders[1] });
});

test.each([
  { server: 'postgres', fresh: () => freshDatabase(inject('postgresUrl')) },
  { server: 'mysql', fresh: () => freshMysqlDatabase(inject('mysqlUrl')) },
])('the worker settles a job on $server, and stops in good order', async ({ server, fresh }) => {
  const folder = await project(`on-${server}`, null, {}, '--server', server);
  const { url, drop } = await fresh();
  onTestFinished(drop);
  const options = { cwd: folder, env: { ...process.env, DATABASE_URL: url } };
  const worker = spawn(process.execPath, ['src/jobs/worker.ts'], options);
  const [exit, errors] = [once(worker, 'exit'), text(worker.stderr)];
  await Promise.race([once(worker.stdout, 'data'), exit]);
  const { stdout } = await run(process.execPath, ['src/jobs/enqueue.ts', 'Grace'], options);
  expect(stdout).toBe('complete: Welcome, Grace!\n');
  worker.kill('SIGTERM');
  expect([await exit, await errors]).toEqual([[0, null], '']);
});

test('a worker without its database says so, and ends', async () => {
  const folder = await project('alone', null, {});
  const env = { ...process.env, DATABASE_URL: 'postgres://127.0.0.1:1/none' };
  const ended = run(process.execPath, ['src/jobs/worker.ts'], { cwd: folder, env });
  await expect(ended).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('ECONNREFUSED') });
});

test("a framework's route enqueues", async () => {
  const manifest = { type: 'module', dependencies: { next: '16', pg: '8' } };
  const folder = join(within, 'routed');
  await mkdir(join(folder, 'app'), { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  expect(await call(['init', folder])).toMatchObject({ code: 0 });
  const { url, drop } = await freshDatabase(inject('postgresUrl'));
  onTestFinished(drop);
  const program = `
    import { rowlock } from './jobs/rowlock.js';
    import { POST } from './app/api/welcome/route.js';
    await rowlock.migrate();
    const answer = await POST(new Request('http://localhost/api/welcome?name=Ada', { method: 'POST' }));
    const { job } = await answer.json();
    console.log(answer.status, (await rowlock.find(job)).payload);
    await rowlock.close();
  `;
  const options = { cwd: folder, env: { ...process.env, DATABASE_URL: url } };
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], options);
  expect(stdout).toBe("202 { name: 'Ada' }\n");
});

test('the ranges of a new project are those that the packages here are tested with', async () => {
  const read = (path: string) => readFile(join(PACKAGE, path), 'utf8');
  const { dependencies, devDependencies } = JSON.parse(await read('templates/project/package.json'));
  const catalog = await read('../../pnpm-workspace.yaml');
  expect(catalog).toContain(`  zod: ${dependencies.zod}\n`);
  expect(catalog).toContain(`  typescript: ${devDependencies.typescript.replace('^', '')}\n`);
  for (const [engine, client] of [
    ['postgres', 'pg'],
    ['mysql', 'mysql2'],
  ]) {
    const { dependencies: ofEngine } = JSON.parse(await read(`templates/${engine}/package.json`));
    expect(ofEngine).toEqual({ [`${client}`]: expect.any(String) });
    expect(catalog).toContain(`  ${client}: ${ofEngine[`${client}`]}\n`);
  }
});
