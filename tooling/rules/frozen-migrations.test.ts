import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The migrations of a driver by their names. */
function migrationsOf(driver: string): readonly (readonly [name: string, sql: Buffer])[] {
  return globSync(join(root, 'packages', driver, 'migrations/*.sql'))
    .sort()
    .map((file) => [basename(file, '.sql'), readFileSync(file)]);
}

const sha256 = (sql: Buffer): string => createHash('sha256').update(sql).digest('hex');

const HEAD = `/** SHA-256 of each migration, in their order. A test writes this file: see CONTRIBUTING.md. */
export const CHECKSUMS = {
`;

test.each(['driver-postgres', 'driver-mysql'])(
  'the checksums of the migrations of %s are on file',
  async (driver) => {
    const lines = migrationsOf(driver).map(([name, sql]) => `  '${name}': '${sha256(sql)}',\n`);
    await expect(`${HEAD}${lines.join('')}};\n`).toMatchFileSnapshot(
      join(root, 'packages', driver, 'src/schema/checksums.ts'),
    );
  },
);

test.each(['driver-postgres', 'driver-mysql'])(
  'no frozen migration of %s was edited: what changes is a new migration',
  (driver) => {
    const [archive = ''] = globSync(join(root, `tooling/chaos/frozen/rowlock-${driver}-*.tgz`));
    const tar = (...args: string[]): string => execFileSync('tar', [...args], { encoding: 'utf8' });
    const frozen = tar('-tzf', archive)
      .split('\n')
      .filter((name) => /^package\/migrations\/.*\.sql$/.test(name))
      .sort();
    const own = new Map(migrationsOf(driver).map(([name, sql]) => [name, sql.toString('utf8')]));
    expect(frozen.length).toBeGreaterThan(0);
    for (const name of frozen)
      expect(own.get(basename(name, '.sql')), name).toBe(tar('-xzOf', archive, name));
  },
);
