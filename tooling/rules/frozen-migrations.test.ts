import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const packages = fileURLToPath(new URL('../../packages', import.meta.url));

test.each(['driver-postgres', 'driver-mysql'])(
  'the checksums of the migrations of %s are on file',
  async (name) => {
    const lines = globSync(join(packages, name, 'migrations/*.sql'))
      .sort()
      .map((file) => {
        const checksum = createHash('sha256').update(readFileSync(file)).digest('hex');
        return `  '${basename(file, '.sql')}': '${checksum}',\n`;
      });
    const head =
      '/** SHA-256 of each migration, in their order. A test writes this file: see CONTRIBUTING.md. */\nexport const CHECKSUMS = {\n';
    await expect(`${head}${lines.join('')}};\n`).toMatchFileSnapshot(
      join(packages, name, 'src/schema/checksums.ts'),
    );
  },
);
