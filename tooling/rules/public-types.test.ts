import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Declaration, declarationsOf } from './declarations.js';

const rules = dirname(fileURLToPath(import.meta.url));
let built: string;

// From the sources, and without comments: a build may be missing or old, and a docstring is free to change.
beforeAll(() => {
  built = mkdtempSync(join(tmpdir(), 'rowlock-types-'));
  const tsc = join(rules, '../../node_modules/.bin/tsc');
  execFileSync(tsc, ['--project', join(rules, 'tsconfig.public-types.json'), '--outDir', built], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
});
afterAll(() => rmSync(built, { recursive: true }));

test.each([
  ['core', 'core/src/index'],
  ['core-types', 'core/src/types'],
  ['driver-memory', 'driver-memory/src/index'],
  ['driver-mysql', 'driver-mysql/src/index'],
  ['driver-postgres', 'driver-postgres/src/index'],
  ['rows-mysql', 'rows/src/mysql'],
  ['rows-postgres', 'rows/src/postgres'],
])('the public types of %s are those on file', async (name, entry) => {
  const exported = declarationsOf(join(built, 'packages', `${entry}.d.ts`));
  const text = [
    '// Exported.',
    ...texts(exported),
    '// Not exported, and part of what is.',
    ...texts(hiddenBehind(exported)),
  ].join('\n\n');
  await expect(`${text}\n`).toMatchFileSnapshot(`golden/public-types-${name}.txt`);
});

/** By name: a move to another file is no change of what a user sees. */
function texts(declarations: readonly Declaration[]): readonly string[] {
  return declarations.map(({ text }) => text.replace(/^(export )?(declare )?/gm, '')).sort();
}

function hiddenBehind(exported: readonly Declaration[]): readonly Declaration[] {
  const all = new Set(exported);
  // A Set also visits what is added on the way. The driver's verbs are for drivers: `@rowlock/core/driver` has their types.
  for (const { name, refersTo } of all) if (name !== 'Driver') for (const each of refersTo) all.add(each);
  return [...all].slice(exported.length);
}
