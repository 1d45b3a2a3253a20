import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';

// file, what it imports, and the sentence that must come back; undefined: allowed
const CASES: [file: string, imported: string, refused?: RegExp][] = [
  ['packages/core/src/a.ts', 'tsyringe'],
  ['packages/core/src/a.ts', 'pg', /Core knows no database/],
  ['packages/core/src/a.ts', 'pg/lib/client.js', /Core knows no database/],
  ['packages/core/src/a.ts', 'mysql2/promise', /Core knows no database/],
  ['packages/core/test/a.test.ts', 'pg', /Core knows no database/],
  ['packages/core/src/a.ts', 'express', /Core knows no application/],
  ['packages/core/src/a.ts', '@googleapis/sheets', /Core knows no application/],
  ['packages/core/src/a.ts', 'google-auth-library', /Core knows no application/],
  ['packages/core/src/a.ts', '@rowlock/driver-postgres', /core depends on no other/],
  ['packages/core/src/a.ts', '@rowlock/plugin-google-sheets', /core depends on no other/],
  ['packages/core/src/a.ts', '@rowlock/sql-drivers', /core depends on no other/],
  ['packages/core/src/a.ts', '@rowlock/servers', /core depends on no other/],

  ['packages/plugin-google-sheets/src/a.ts', '@rowlock/core'],
  ['packages/plugin-google-sheets/src/a.ts', '@rowlock/core/driver', /runs on every database/],
  ['packages/plugin-google-sheets/src/a.ts', '@googleapis/sheets'],
  ['packages/plugin-google-sheets/src/a.ts', '@rowlock/driver-postgres', /runs on every database/],
  ['packages/plugin-google-sheets/src/a.ts', '@rowlock/sql-drivers', /runs on every database/],
  ['packages/plugin-google-sheets/src/a.ts', 'pg', /runs on every database/],
  ['packages/plugin-google-sheets/src/a.ts', 'mysql2/promise', /runs on every database/],
  ['packages/plugin-google-sheets/src/a.ts', '@rowlock/servers', /published package must not need them/],
  ['packages/plugin-google-sheets/test/a.test.ts', '@rowlock/servers'],

  ['packages/telemetry/src/a.ts', '@rowlock/core'],
  ['packages/telemetry/src/a.ts', '@opentelemetry/api'],
  ['packages/telemetry/src/a.ts', '@rowlock/core/driver', /runs on every database/],
  ['packages/telemetry/src/a.ts', '@rowlock/driver-postgres', /runs on every database/],
  ['packages/telemetry/src/a.ts', '@rowlock/sql-drivers', /runs on every database/],
  ['packages/telemetry/src/a.ts', '@rowlock/servers', /published package must not need them/],

  ['packages/cli/src/a.ts', '@rowlock/core/driver'],
  ['packages/cli/src/a.ts', '@rowlock/driver-postgres'],
  ['packages/cli/src/a.ts', 'pg', /has no SQL/],
  ['packages/cli/src/a.ts', '@rowlock/sql-drivers', /everybody else calls a driver/],
  ['packages/cli/src/a.ts', '@rowlock/servers', /published package must not need them/],
  ['packages/cli/test/a.test.ts', 'pg'],

  ['packages/dashboard/src/a.ts', '@rowlock/core'],
  ['packages/dashboard/src/a.ts', '@rowlock/core/driver', /runs on every database/],
  ['packages/dashboard/src/a.ts', '@rowlock/driver-postgres', /runs on every database/],
  ['packages/dashboard/page/a.tsx', '@rowlock/servers', /published package must not need them/],

  ['packages/driver-postgres/src/a.ts', '@rowlock/core'],
  ['packages/driver-postgres/src/a.ts', '@rowlock/core/driver'],
  ['packages/driver-postgres/src/a.ts', '@rowlock/sql-drivers'],
  ['packages/driver-postgres/src/a.ts', 'pg'],
  ['packages/driver-postgres/src/a.ts', 'node:fs'],
  ['packages/driver-postgres/src/a.ts', './b.js'],
  ['packages/driver-postgres/src/session/a.ts', '../b.js'],
  ['packages/driver-postgres/src/a.ts', '../b/c.js'],
  ['packages/driver-postgres/src/a.ts', 'pg/lib/utils.js'],
  ['packages/driver-postgres/src/a.ts', 'node:fs/promises'],
  ['packages/driver-postgres/src/a.ts', 'mysql2/promise', /spells and decides nothing/],
  ['packages/driver-postgres/src/a.ts', 'mysql2', /spells and decides nothing/],
  ['packages/driver-postgres/src/a.ts', 'tsyringe', /spells and decides nothing/],
  ['packages/driver-postgres/src/a.ts', '@rowlock/servers', /spells and decides nothing/],
  ['packages/driver-postgres/src/a.ts', '@rowlock/plugin-google-sheets', /spells and decides nothing/],
  ['packages/driver-postgres/test/a.test.ts', '@rowlock/driver-conformance'],
  ['packages/driver-postgres/test/a.test.ts', '@rowlock/servers'],

  ['packages/driver-mysql/src/a.ts', '@rowlock/core'],
  ['packages/driver-mysql/src/a.ts', '@rowlock/core/driver'],
  ['packages/driver-mysql/src/a.ts', '@rowlock/sql-drivers'],
  ['packages/driver-mysql/src/a.ts', 'mysql2/promise'],
  ['packages/driver-mysql/src/a.ts', 'node:fs/promises'],
  ['packages/driver-mysql/src/a.ts', './b.js'],
  ['packages/driver-mysql/src/a.ts', 'pg', /spells and decides nothing/],
  ['packages/driver-mysql/src/a.ts', '@rowlock/driver-postgres', /spells and decides nothing/],
  ['packages/driver-mysql/src/a.ts', '@rowlock/servers', /spells and decides nothing/],
  ['packages/driver-mysql/test/a.test.ts', '@rowlock/servers'],

  ['packages/sql-drivers/src/a.ts', '@rowlock/core'],
  ['packages/sql-drivers/src/a.ts', '@rowlock/core/driver'],
  ['packages/sql-drivers/src/a.ts', 'node:crypto'],
  ['packages/sql-drivers/src/schema/a.ts', '../b.js'],
  ['packages/sql-drivers/src/a.ts', 'pg', /no client and no dialect/],
  ['packages/sql-drivers/src/a.ts', 'mysql2/promise', /no client and no dialect/],
  ['packages/sql-drivers/src/a.ts', '@rowlock/driver-postgres', /no client and no dialect/],
  ['packages/sql-drivers/src/a.ts', '@rowlock/servers', /no client and no dialect/],

  ['packages/driver-memory/src/a.ts', '@rowlock/core'],
  ['packages/driver-memory/src/a.ts', '@rowlock/core/driver'],
  ['packages/driver-memory/src/a.ts', 'node:crypto'],
  ['packages/driver-memory/src/a.ts', './b.js'],
  ['packages/driver-memory/src/a.ts', 'pg', /spells and decides nothing/],
  ['packages/driver-memory/src/a.ts', '@rowlock/driver-postgres', /spells and decides nothing/],
  ['packages/driver-memory/src/a.ts', '@rowlock/sql-drivers', /spells and decides nothing/],
  ['packages/driver-memory/test/a.test.ts', '@rowlock/driver-conformance'],

  ['packages/adapters/src/a.ts', '@rowlock/core/driver'],
  ['packages/adapters/src/a.ts', '@rowlock/sql-drivers'],
  ['packages/adapters/src/a.ts', 'drizzle-orm/pg-core'],
  ['packages/adapters/src/a.ts', 'pg', /public API/],
  ['packages/adapters/src/a.ts', 'mysql2/promise', /public API/],
  ['packages/adapters/src/a.ts', '@rowlock/driver-postgres', /public API/],
  ['packages/adapters/test/a.test.ts', '@rowlock/driver-postgres'],

  ['packages/nestjs/src/a.ts', '@nestjs/core'],
  ['packages/nestjs/src/a.ts', '@rowlock/dashboard'],
  ['packages/nestjs/src/a.ts', '@rowlock/driver-postgres', /runs on every database/],
  ['packages/nestjs/src/a.ts', '@rowlock/servers', /published package must not need them/],
  ['packages/nestjs/test/a.test.ts', '@rowlock/driver-mysql'],

  ['packages/testing/src/a.ts', '@rowlock/core/driver'],
  ['packages/testing/src/a.ts', '@rowlock/driver-memory'],
  ['packages/testing/src/a.ts', 'vitest', /runner and a database of their own/],
  ['packages/testing/src/a.ts', '@rowlock/driver-postgres', /runner and a database of their own/],
  ['packages/testing/src/a.ts', '@rowlock/sql-drivers', /runner and a database of their own/],
  ['packages/testing/test/a.test.ts', '@rowlock/driver-postgres'],

  ['packages/rows/src/postgres/a.ts', '@rowlock/core/driver'],
  ['packages/rows/src/postgres/a.ts', '@rowlock/driver-postgres/internal'],
  ['packages/rows/src/mysql/a.ts', '@rowlock/driver-mysql/internal'],
  ['packages/rows/src/a.ts', '@rowlock/sql-drivers'],
  ['packages/rows/src/a.ts', 'node:timers/promises'],
  ['packages/rows/src/a.ts', 'pg', /as the driver does/],
  ['packages/rows/src/a.ts', '@rowlock/driver-memory', /as the driver does/],
  ['packages/rows/src/a.ts', '@rowlock/servers', /as the driver does/],

  ['packages/driver-conformance/src/a.ts', 'vitest'],
  ['packages/driver-conformance/src/a.ts', 'pg', /knows none/],
  ['packages/driver-conformance/src/a.ts', '@rowlock/driver-postgres', /knows none/],
  ['packages/driver-conformance/src/a.ts', '@rowlock/driver-memory', /knows none/],
  ['packages/driver-conformance/src/a.ts', '@rowlock/sql-drivers', /knows none/],
  ['packages/driver-conformance/src/a.ts', '@rowlock/servers', /published package must not need them/],

  ['apps/spreadsheets/src/composition.ts', '@rowlock/driver-postgres'],
  ['apps/spreadsheets/src/a.ts', '@rowlock/plugin-google-sheets'],
  ['apps/spreadsheets/src/a.ts', '@rowlock/driver-postgres', /chosen in one place/],
  ['apps/spreadsheets/src/web/a.ts', '@rowlock/driver-mysql', /chosen in one place/],
  ['apps/spreadsheets/src/a.ts', '@rowlock/sql-drivers', /chosen in one place/],
  ['apps/spreadsheets/test/a.test.ts', '@rowlock/driver-postgres'],
  ['apps/order-search/src/composition.ts', '@rowlock/driver-mysql'],
  ['apps/order-search/src/a.ts', '@rowlock/driver-mysql', /chosen in one place/],
  ['apps/replica/src/composition.ts', '@rowlock/driver-mysql'],
  ['apps/replica/src/a.ts', '@rowlock/driver-postgres', /chosen in one place/],
  ['apps/shared/src/a.ts', '@rowlock/core'],
  ['apps/shared/src/a.ts', '@rowlock/driver-postgres', /chosen in one place/],
];

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
let refusals: Map<string, string>;

// All cases in one run of the real configuration, in a copy of the repository that holds nothing but them.
beforeAll(() => {
  const repository = mkdtempSync(join(tmpdir(), 'rowlock-rules-'));
  try {
    const { vcs: _, ...config } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
    writeFileSync(join(repository, 'biome.json'), JSON.stringify(config));
    CASES.forEach(([file, imported], index) => {
      const path = join(repository, place(file, index));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `import '${imported}';\n`);
    });
    refusals = lint(repository);
  } finally {
    rmSync(repository, { recursive: true });
  }
});

test.each(CASES.map((row, index) => [...row.slice(0, 2), index] as [string, string, number]))(
  '%s imports %s',
  (file, _imported, index) => {
    const refusal = refusals.get(place(file, index));
    const expected = CASES[index]?.[2];
    if (expected) expect(refusal).toMatch(expected);
    else expect(refusal).toBeUndefined();
  },
);

/** The same file in many cases: each in a folder of its own. A rule that names one file has that file. */
function place(file: string, index: number): string {
  return /\/a\.(test\.)?ts$/.test(file) ? join(dirname(file), `case-${index}`, basename(file)) : file;
}

/** The messages of the rule, by file. */
function lint(repository: string): Map<string, string> {
  const args = ['lint', '--reporter=json', '--max-diagnostics=none', '.'];
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/biome'), args, {
    cwd: repository,
    encoding: 'utf8',
  });
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { category: string; message: string; location: { path: string } }[];
  };
  const ofTheRule = diagnostics.filter(({ category }) => category === 'lint/style/noRestrictedImports');
  return new Map(ofTheRule.map(({ location, message }) => [location.path, message]));
}
