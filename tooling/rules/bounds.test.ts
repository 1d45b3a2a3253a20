import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const core = join(root, 'packages/core/src');
const sources = readdirSync(core, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => join(core, name));

/** What grows with every capability unless something holds it. A number that falls is written down here. */
const BOUNDS: readonly [what: string, count: () => number, most: number][] = [
  ['names in the main entry', () => exportsOf(join(core, 'index.ts')), 90],
  ['lines of worker.ts', () => linesOf(join(core, 'worker/worker.ts')), 320],
  ['lines of the longest function of worker.ts', () => longestOf(join(core, 'worker/worker.ts')), 80],
  ['members of Flow', () => membersOf('Flow'), 18],
  ['lines of core', () => sources.reduce((sum, file) => sum + linesOf(file), 0), 19_969],
  ['rooms of core that import each other', () => mutualRooms().length, 0],
  ['bytes of ARCHITECTURE.md', () => Buffer.byteLength(text(join(root, 'ARCHITECTURE.md'))), 12 * 1_024],
];

test.each(BOUNDS)('%s', (_, count, most) => {
  expect(count()).toBeLessThanOrEqual(most);
});

function text(file: string): string {
  return readFileSync(file, 'utf8');
}

function linesOf(file: string): number {
  return text(file).split('\n').length - 1;
}

function exportsOf(file: string): number {
  const lists = [...text(file).matchAll(/^export (?:type )?\{([^}]*)\}/gm)];
  return lists.flatMap(([, names = '']) => names.split(',')).filter((name) => name.trim() !== '').length;
}

/** The lines of the longest function or method. The formatter ends each in the column in which it begins. */
function longestOf(file: string): number {
  const lines = text(file).split('\n');
  const lengths = lines.map((line, begin) => {
    const [, indent] = /^( {0,2})[^\s/*].*\{$/.exec(line) ?? [];
    if (indent === undefined || /\b(?:class|interface) /.test(line)) return 0;
    return lines.indexOf(`${indent}}`, begin) - begin + 1;
  });
  return Math.max(...lengths);
}

function membersOf(name: string): number {
  const written = new RegExp(`^export interface ${name}\\b[^{]*\\{\n(.*?)\n\\}`, 'ms');
  const [members] = sources.flatMap((file) => written.exec(text(file))?.[1] ?? []);
  if (members === undefined) throw new Error(`There is no interface ${name}.`);
  return [...members.matchAll(/^ {2}(?:readonly )?\w+[?<(:]/gm)].length;
}

/** Pairs of rooms of which each imports the other, types too. */
function mutualRooms(): readonly string[] {
  const imports = new Set(
    sources.flatMap((file) =>
      [...text(file).matchAll(/ from '(\.[^']+)'/g)].map(([, path = '']) =>
        [roomOf(file), roomOf(normalize(join(dirname(file), path)))].join(' '),
      ),
    ),
  );
  return [...imports].filter((pair) => {
    const [from = '', to = ''] = pair.split(' ');
    return from !== '' && to !== '' && from < to && imports.has(`${to} ${from}`);
  });
}

/** Empty for a file that stands in no room. */
function roomOf(file: string): string {
  const [room = '', ...rest] = relative(core, file).split(sep);
  return rest.length === 0 ? '' : room;
}
