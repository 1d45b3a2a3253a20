// Keeps the packages of this version as archives in tooling/chaos/frozen, in the place of those of the last one: chaos and a test
// install them, so that workers of both versions run side by side. From then on their migrations are never edited.
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { packFrom } from '../tooling/tarballs/pack-all.mjs';

const FOLDER = 'tooling/chaos/frozen';

/** Of chaos: the programs of workers and producers, as they speak to this version. */
const PACKAGES = [
  'packages/core',
  'packages/sql-drivers',
  'packages/driver-postgres',
  'packages/driver-mysql',
  'tooling/chaos',
];

const draft = mkdtempSync(join(tmpdir(), 'rowlock-freeze-'));
try {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  for (const folder of PACKAGES) keep(await packFrom(folder, draft));
} finally {
  rmSync(draft, { recursive: true, force: true });
}

/** Without what no program reads: the archives stay in the history of the repository. */
function keep(tarball) {
  const unpacked = tarball.replace(/\.tgz$/, '');
  mkdirSync(unpacked);
  execFileSync('tar', ['-xzf', tarball, '-C', unpacked]);
  for (const file of globSync('package/dist/**/*.{map,d.ts,cjs,d.cts}', { cwd: unpacked }))
    rmSync(join(unpacked, file));
  const manifest = join(unpacked, 'package/package.json');
  const { dependencies, ...others } = JSON.parse(readFileSync(manifest, 'utf8'));
  // It has servers for the conductor alone, and is no package of npm.
  delete dependencies['@rowlock/servers'];
  writeFileSync(manifest, `${JSON.stringify({ ...others, dependencies }, null, 2)}\n`);
  const kept = join(FOLDER, basename(tarball));
  execFileSync('tar', ['-czf', kept, '-C', unpacked, 'package']);
  console.log(kept, readFileSync(kept).length);
}
