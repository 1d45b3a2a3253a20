import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exists, ROOT, read } from '../repository.js';

/** What a program can import. */
export interface Entry {
  /** As it is imported, e.g. `@rowlock/core/types`. */
  readonly name: string;
  readonly declarations: string;
}

/** A page of the reference: an entry, or the entries of a package that has no main one. */
export interface ReferencePage {
  readonly name: string;
  readonly file: string;
  /** The folder of the package. */
  readonly folder: string;
  readonly entries: readonly Entry[];
}

/** For those who write drivers, and for other packages of Rowlock: they may change in any release. */
const INTERNAL = ['./driver', './internal', './programs', './package.json'];
const LEFT_OUT = ['@rowlock/driver-conformance', '@rowlock/sql-drivers', '@rowlock/cli'];

export function referencePages(): ReferencePage[] {
  return globSync('packages/*/package.json', { cwd: ROOT }).sort().flatMap(pagesOf);
}

function pagesOf(manifest: string): ReferencePage[] {
  const { name, exports = {} } = JSON.parse(read(manifest));
  if (LEFT_OUT.includes(name)) return [];
  const folder = dirname(manifest);
  const entries = Object.keys(exports)
    .filter((path) => !INTERNAL.includes(path))
    .map((path) => entryOf(folder, name, path));
  // Some packages are commands alone.
  if (entries.length === 0) return [];
  if (exports['.'] === undefined) return [{ name, file: fileOf(name), folder, entries }];
  return entries.map((entry) => ({ name: entry.name, file: fileOf(entry.name), folder, entries: [entry] }));
}

function entryOf(folder: string, name: string, path: string): Entry {
  const declarations = join(folder, 'dist', `${path === '.' ? 'index' : path}.d.ts`);
  if (!exists(declarations)) throw new Error(`${declarations} is missing: run \`pnpm build\` first.`);
  return { name: join(name, path), declarations: join(ROOT, declarations) };
}

function fileOf(name: string): string {
  return `${name.replace('@rowlock/', '').replaceAll('/', '-')}.md`;
}
