import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const sources = globSync('packages/*/src/**/*.ts', { cwd: root }).filter(
  (path) => !path.endsWith('.test.ts') && !path.includes('driver-conformance'),
);
const ofRowlock = sources.flatMap((path) => [...read(path).matchAll(/'(ROWLOCK_[A-Z_]+)'/g)]);
const [, union = ''] =
  /type DriverErrorCode =([^;]+);/.exec(read('packages/core/src/driver/driver-error.ts')) ?? [];
const ofDatabases = [...union.matchAll(/'(\w+)'/g)];

const codes = new Set([...ofRowlock, ...ofDatabases].map(([, code = '']) => code));

/** The cells of each row that begins with a code. */
const rows = [...read('docs/use/errors.md').matchAll(/^\| `([A-Z]\w+)` \|(.+)\|$/gm)].map(
  ([, code = '', cells = '']) => [code, cells.split(' | ').map((cell) => cell.trim())] as const,
);

test('docs/use/errors.md has one row for each code of an error, and no other', () => {
  expect(rows.map(([code]) => code).sort()).toEqual([...codes].sort());
});

test.each(rows)('no cell of %s is empty', (_, cells) => {
  expect(cells.every((cell) => cell !== '')).toBe(true);
});
