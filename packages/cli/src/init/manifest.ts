import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Misuse } from '../failure.js';

/** What is read of a package.json, and its text as it stands. */
export interface Manifest {
  readonly text: string;
  readonly isModule: boolean;
  /** Whether it is the root of several packages. */
  readonly isWorkspace: boolean;
  readonly packageManager: string;
  readonly testScript: string;
  /** Of dependencies of all kinds, by name. */
  readonly dependencies: ReadonlySet<string>;
}

/** What a package.json gets, where it has no entry of that name. */
export interface Additions {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** @returns Null where there is none. @throws Misuse for a file that is no object of JSON */
export async function readManifest(folder: string): Promise<Manifest | null> {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return null;
  const text = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  const content = parsed(text, file);
  const { type, packageManager, scripts, workspaces } = content;
  return {
    text,
    isModule: type === 'module',
    isWorkspace: workspaces !== undefined,
    packageManager: typeof packageManager === 'string' ? packageManager : '',
    testScript: String(record(scripts).test ?? ''),
    dependencies: new Set(
      ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'].flatMap((field) =>
        Object.keys(record(content[field])),
      ),
    ),
  };
}

/** The text of a package.json with what it lacks, with the indent and the line ends that it has, and dependencies in npm's order. */
export function withAdditions(text: string, additions: Additions): string {
  const content = { ...record(JSON.parse(text)) };
  const has = { ...record(content.dependencies), ...record(content.devDependencies) };
  content.scripts = { ...additions.scripts, ...record(content.scripts) };
  for (const field of ['dependencies', 'devDependencies'] as const) {
    const missing = Object.entries(additions[field]).filter(([name]) => !Object.hasOwn(has, name));
    const all = [...Object.entries(record(content[field])), ...missing];
    if (missing.length > 0) content[field] = Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  const indent = /^[ \t]+/m.exec(text)?.[0] ?? '  ';
  const lines = `${JSON.stringify(content, null, indent)}\n`;
  return text.includes('\r\n') ? lines.replaceAll('\n', '\r\n') : lines;
}

function parsed(text: string, file: string): Readonly<Record<string, unknown>> {
  try {
    const content: unknown = JSON.parse(text);
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) return record(content);
  } catch {
    // The same sentence: which character is wrong, npm says.
  }
  throw new Misuse(`${file} is no object of JSON: mend it first.`);
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
