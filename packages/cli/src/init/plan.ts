import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Engine } from '../database/target.js';
import { version } from '../version.js';
import { scriptCall, WORDS } from './manager.js';
import { type Additions, withAdditions } from './manifest.js';
import type { Manager, Project, TestRunner } from './project.js';
import { inStyle, template } from './template.js';

/** What is not found but decided. */
export interface Choices {
  readonly engine: Engine;
  readonly manager: Manager;
  readonly tests: TestRunner;
}

/** A file that is to be there. Paths are relative to the project's folder, with slashes. */
export interface PlannedFile {
  readonly path: string;
  readonly text: string;
}

/** What `init` gives a project, beside its package.json. */
export async function filesFor(project: Project, choices: Choices): Promise<readonly PlannedFile[]> {
  const all = [
    ...(await jobFiles(project, choices)),
    ...(await routeFiles(project)),
    ...(await surroundings(project, choices)),
  ];
  return project.manifest === null ? [...all, ...(await firstFiles(choices))] : all;
}

/** The text of the package.json that the project is to have. */
export async function manifestFor(project: Project, choices: Choices): Promise<string> {
  const { manifest, folder } = project;
  const text = manifest?.text ?? (await template('project/package.json')).replace('"jobs"', nameOf(folder));
  return withAdditions(text, await additions(project, choices));
}

/** Where the modules of jobs are. */
function jobsFolder({ sources }: Project): string {
  return `${sources}jobs`;
}

async function jobFiles(project: Project, { engine, tests }: Choices): Promise<readonly PlannedFile[]> {
  const { style, adapter } = project;
  const templates = [
    ['welcome', 'jobs/welcome.ts'],
    ['rowlock', `${engine}/rowlock.ts`],
    ['worker', 'jobs/worker.ts'],
    ['enqueue', 'jobs/enqueue.ts'],
    ...(adapter === undefined ? [] : [['transaction', 'orm/transaction.ts'] as const]),
    ['welcome.test', tests === 'node' ? 'tests/node.ts' : 'tests/vitest.ts'],
  ] as const;
  return Promise.all(
    templates.map(async ([name, path]) => {
      const text = withAdapter(withTests(await template(path), tests), adapter);
      return { path: `${jobsFolder(project)}/${name}.${style.language}`, text: inStyle(text, style) };
    }),
  );
}

/** Nest's controllers are its own, and a Next without `app` has no routes of this kind. */
async function routeFiles(project: Project): Promise<readonly PlannedFile[]> {
  const { folder, framework, sources, style } = project;
  if (framework === undefined || framework === 'nestjs') return [];
  if (framework === 'next' && !existsSync(join(folder, sources, 'app'))) return [];
  const place = framework === 'next' ? `${sources}app/api/welcome/route` : `${jobsFolder(project)}/routes`;
  const text = await template(`frameworks/${framework}.ts`);
  return [{ path: `${place}.${style.language}`, text: inStyle(text, style) }];
}

/** Those of vitest, bun and jest differ by their import, which jest needs none of. */
function withTests(text: string, tests: TestRunner): string {
  if (tests === 'bun') return text.replace(" from 'vitest';", " from 'bun:test';");
  return tests === 'jest' ? text.replace(/^.* from 'vitest';\n/m, '') : text;
}

const FUNCTIONS: Readonly<Record<string, string>> = {
  drizzle: 'fromDrizzle',
  kysely: 'fromKysely',
  knex: 'fromKnex',
  prisma: 'fromPrisma',
  typeorm: 'fromTypeORM',
  'mikro-orm': 'fromMikroORM',
  sequelize: 'fromSequelize',
  'postgres-js': 'fromPostgresJs',
};

function withAdapter(text: string, adapter = 'drizzle'): string {
  const adapted = text
    .replaceAll('@rowlock/adapters/drizzle', `@rowlock/adapters/${adapter}`)
    .replaceAll('fromDrizzle', FUNCTIONS[adapter] ?? 'fromDrizzle');
  if (adapter !== 'kysely') return adapted;
  // Its transactions are typed by their tables.
  return adapted
    .replace('(name: string', '<Tables>(name: string')
    .replace('fromKysely>', 'fromKysely<Tables>>');
}

async function surroundings(
  { hasContinuousIntegration, hasCompose, manifest }: Project,
  { engine, manager }: Choices,
): Promise<readonly PlannedFile[]> {
  const compose = hasCompose
    ? []
    : [{ path: 'compose.yaml', text: await template(`${engine}/compose.yaml`) }];
  if (hasContinuousIntegration) return compose;
  const test = manifest === null ? WORDS[manager].test : scriptCall(manager, TEST_SCRIPT);
  const steps = [...WORDS[manager].ci, test].map((line) => `      - run: ${line}\n`).join('');
  const text = (await template('project/ci.yml')).replace(/( {6}- run: .*\n)+$/, steps);
  return [...compose, { path: '.github/workflows/ci.yml', text }];
}

async function firstFiles({ engine, manager }: Choices): Promise<readonly PlannedFile[]> {
  const [, local = ''] = /LOCAL = '(.*)'/.exec(await template(`${engine}/rowlock.ts`)) ?? [];
  const readme = (await template('project/README.md'))
    .replaceAll('npm test', WORDS[manager].test)
    .replaceAll(/npm run ([\w:]+)(?: -- (\w+))?/g, (_, script, argument) =>
      scriptCall(manager, script, argument),
    )
    .replace(/(?<=export DATABASE_URL=).*/, local);
  return [
    { path: 'tsconfig.json', text: await template('project/tsconfig.json') },
    { path: '.gitignore', text: await template('project/gitignore') },
    { path: 'README.md', text: readme },
  ];
}

/** In a project that has tests of its own, those of jobs have a script beside them. */
const TEST_SCRIPT = 'jobs:test';

async function additions(project: Project, { engine, tests }: Choices): Promise<Additions> {
  const { style, adapter, manifest } = project;
  const folder = jobsFolder(project);
  const call = (name: string): string => `${style.runner} ${folder}/${name}.${style.language}`;
  const own = `^${version()}`;
  const { dependencies } = JSON.parse(await template('project/package.json'));
  const { dependencies: client } = JSON.parse(await template(`${engine}/package.json`));
  return {
    scripts: {
      'jobs:worker': call('worker'),
      'jobs:welcome': call('enqueue'),
      ...(manifest !== null && {
        [TEST_SCRIPT]: {
          node: `${style.runner} --test ${folder}/welcome.test.${style.language}`,
          vitest: `vitest run ${folder}`,
          jest: `jest ${folder}`,
          bun: `bun test ${folder}`,
        }[tests],
      }),
    },
    dependencies: {
      '@rowlock/core': own,
      [`@rowlock/driver-${engine}`]: own,
      ...(adapter !== undefined && { '@rowlock/adapters': own }),
      ...client,
      ...dependencies,
    },
    devDependencies: {
      '@rowlock/cli': own,
      '@rowlock/driver-memory': own,
      ...(style.runner === 'tsx' && { tsx: '^4.21.0' }),
    },
  };
}

/** A name that npm takes, as JSON. */
function nameOf(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z\d-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return JSON.stringify(name || 'jobs');
}
