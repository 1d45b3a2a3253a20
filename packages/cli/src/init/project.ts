import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Engine } from '../database/target.js';
import { Misuse } from '../failure.js';
import { type CompilerOptions, compilerOptions } from './compiler-options.js';
import { type Manifest, readManifest } from './manifest.js';

export const MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'] as const;
export type Manager = (typeof MANAGERS)[number];

export const TEST_RUNNERS = ['node', 'vitest', 'jest', 'bun'] as const;
export type TestRunner = (typeof TEST_RUNNERS)[number];

/** By the package. Nest and Next come before the server that they bring. */
const FRAMEWORKS = {
  next: 'next',
  '@nestjs/core': 'nestjs',
  express: 'express',
  fastify: 'fastify',
  hono: 'hono',
} as const;
export type Framework = (typeof FRAMEWORKS)[keyof typeof FRAMEWORKS];

/** How a project writes its modules, and runs them. */
export interface Style {
  readonly language: 'ts' | 'js';
  /** Whether `require` stands where others write `import`. */
  readonly requires: boolean;
  /** What a relative import ends with. */
  readonly ending: '.ts' | '.js' | '';
  /** The program that runs a file of the project. */
  readonly runner: 'node' | 'tsx';
}

/** What is there, found by files and dependencies. */
export interface Project {
  readonly folder: string;
  /** Null for a new project. */
  readonly manifest: Manifest | null;
  /** The databases for which there is a client. */
  readonly engines: readonly Engine[];
  /** The entry of `@rowlock/adapters`. */
  readonly adapter: string | undefined;
  readonly framework: Framework | undefined;
  readonly manager: Manager | undefined;
  readonly tests: TestRunner;
  readonly style: Style;
  /** Where sources are, with a slash at its end. */
  readonly sources: 'src/' | '';
  /** Or it lies in a repository or a workspace, whose root is the place for it. */
  readonly hasContinuousIntegration: boolean;
  /** By another name than `compose.yaml`, which would take its place. */
  readonly hasCompose: boolean;
}

const CLIENTS: Readonly<Record<Engine, readonly string[]>> = {
  postgres: ['pg', 'postgres', '@prisma/adapter-pg', '@mikro-orm/postgresql', '@neondatabase/serverless'],
  mysql: ['mysql2', 'mysql', 'mariadb', '@prisma/adapter-mariadb', '@mikro-orm/mysql', '@mikro-orm/mariadb'],
};

/** By the package. An ORM comes before the client that it brings. */
const ADAPTERS: Readonly<Record<string, string>> = {
  'drizzle-orm': 'drizzle',
  kysely: 'kysely',
  knex: 'knex',
  '@prisma/client': 'prisma',
  typeorm: 'typeorm',
  '@mikro-orm/core': 'mikro-orm',
  sequelize: 'sequelize',
  postgres: 'postgres-js',
};

const LOCKFILES: Readonly<Record<string, Manager>> = {
  'package-lock.json': 'npm',
  'npm-shrinkwrap.json': 'npm',
  'pnpm-lock.yaml': 'pnpm',
  'pnpm-workspace.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
};

const CONTINUOUS_INTEGRATION = [
  ...['.github/workflows', '.gitlab-ci.yml', '.circleci', 'azure-pipelines.yml', 'Jenkinsfile'],
  ...['bitbucket-pipelines.yml', '.buildkite', '.travis.yml', '.woodpecker.yml', '.woodpecker'],
];

const COMPOSE = ['compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];

/** What may lie in a folder before a project begins. What `init` writes may too, so that it can go on after it was killed. */
const BEFORE_A_PROJECT = /^\.|^(LICEN[CS]E|README)|^(src|tsconfig\.json|compose\.yaml)$/i;

/**
 * @param folder Need not be there yet.
 * @throws Misuse for what is no folder, and for one with files that are no project of JavaScript
 */
export async function findProject(folder: string): Promise<Project> {
  const files = await filesOf(folder);
  const manifest = await readManifest(folder);
  const foreign = files.find((file) => !BEFORE_A_PROJECT.test(file));
  if (manifest === null && foreign !== undefined)
    throw new Misuse(
      `${folder} has files, as ${foreign}, and no package.json: name a new folder, or make it a project by npm init.`,
    );
  const { dependencies = new Set() } = manifest ?? {};
  const folders = await upToRoot(folder);
  const has = (name: string): boolean => dependencies.has(name);
  return {
    folder,
    manifest,
    engines: (['postgres', 'mysql'] as const).filter((engine) => CLIENTS[engine].some(has)),
    adapter: Object.entries(ADAPTERS).find(([name]) => has(name))?.[1],
    framework: Object.entries(FRAMEWORKS).find(([name]) => has(name))?.[1],
    manager: managerOf(folders, manifest),
    tests: manifest === null ? 'node' : testsOf(manifest),
    style: manifest === null ? NEW : await styleOf(folder, manifest),
    sources: manifest === null || files.includes('src') ? 'src/' : '',
    hasContinuousIntegration:
      folders.length > 1 || CONTINUOUS_INTEGRATION.some((file) => existsSync(join(folder, file))),
    hasCompose: COMPOSE.some((file) => files.includes(file)),
  };
}

/** Node reads TypeScript itself. */
const NEW: Style = { language: 'ts', requires: false, ending: '.ts', runner: 'node' };

async function filesOf(folder: string): Promise<readonly string[]> {
  const found = await stat(folder).catch(() => null);
  if (found === null) return [];
  if (!found.isDirectory()) throw new Misuse(`${folder} is no folder.`);
  return readdir(folder);
}

/** The folder and those above it, up to the root of its repository or workspace. Outside of both, the folder alone. */
async function upToRoot(folder: string): Promise<readonly string[]> {
  const folders = [folder];
  for (let above = folder; !(await isRoot(above)); folders.push(above)) {
    if (above === dirname(above)) return [folder];
    above = dirname(above);
  }
  return folders;
}

async function isRoot(folder: string): Promise<boolean> {
  if (['.git', 'pnpm-workspace.yaml'].some((name) => existsSync(join(folder, name)))) return true;
  return (await readManifest(folder).catch(() => null))?.isWorkspace === true;
}

/** In a workspace of many packages the lockfile lies in a folder above. */
function managerOf(folders: readonly string[], manifest: Manifest | null): Manager | undefined {
  const named = MANAGERS.find((name) => manifest?.packageManager.startsWith(`${name}@`));
  if (named !== undefined) return named;
  const lockfile = folders
    .flatMap((folder) => Object.keys(LOCKFILES).map((name) => ({ name, path: join(folder, name) })))
    .find(({ path }) => existsSync(path));
  return lockfile && LOCKFILES[lockfile.name];
}

function testsOf({ testScript, dependencies }: Manifest): TestRunner {
  if (/\bbun test\b/.test(testScript)) return 'bun';
  const ofScript = (['vitest', 'jest'] as const).find((name) => new RegExp(`\\b${name}\\b`).test(testScript));
  if (ofScript !== undefined) return ofScript;
  if (/\b(node|tsx)\b.*--test\b/.test(testScript)) return 'node';
  return (['vitest', 'jest'] as const).find((name) => dependencies.has(name)) ?? 'node';
}

async function styleOf(folder: string, manifest: Manifest): Promise<Style> {
  const { isModule, dependencies } = manifest;
  const config = join(folder, 'tsconfig.json');
  if (!existsSync(config) && !dependencies.has('typescript'))
    return {
      language: 'js',
      requires: !isModule && !dependencies.has('next'),
      ending: '.js',
      runner: 'node',
    };
  const options = await compilerOptions(config);
  const hasTsx = dependencies.has('tsx');
  if (options.allowImportingTsExtensions === true || options.rewriteRelativeImportExtensions === true)
    return { language: 'ts', requires: false, ending: '.ts', runner: hasTsx ? 'tsx' : 'node' };
  const ending = isModule && !isBundled(options) ? '.js' : '';
  return { language: 'ts', requires: false, ending, runner: 'tsx' };
}

function isBundled({ module = '', moduleResolution }: CompilerOptions): boolean {
  return /^(bundler|preserve)$/i.test(String(moduleResolution ?? module));
}
