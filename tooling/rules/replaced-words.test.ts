import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PACKAGES = ['core', 'driver-postgres', 'driver-mysql', 'driver-memory', 'sql-drivers'];

/** Words for which the trade has its own. They stood in the code once. */
const REPLACED = [
  ...['aheadOfCommit', 'behindRecord', 'deaf', 'dueFlush', 'flight', 'grave', 'heir', 'inTurn', 'lapse'],
  ...[
    'hears',
    'hearsOfSettled',
    'keepAsking',
    'lowWater',
    'patient',
    'patiently',
    'sociable',
    'strange',
    'tellSettled',
  ],
  ...['toolbox', 'untold'],
];

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name));
}

const files = PACKAGES.flatMap((name) => sources(`packages/${name}/src`));
const identifiers = new Map(
  files.map((file) => [file, readFileSync(join(root, file), 'utf8').match(/\b[A-Za-z_]\w*\b/g) ?? []]),
);

test.each(REPLACED)('"%s" is not a word of the code', (word) => {
  const isMeant = new RegExp(`^_?#?${word}(?:s|ly)?$`, 'i');
  const meant = [...identifiers].filter(([, words]) => words.some((found) => isMeant.test(found)));
  expect(meant.map(([file]) => file)).toEqual([]);
});
