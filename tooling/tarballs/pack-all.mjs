import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The packages that go to npm, as `{ name, version, folder }`. */
export function publishedPackages() {
  return globSync('packages/*/package.json', { cwd: root })
    .sort()
    .map((file) => ({
      ...JSON.parse(readFileSync(join(root, file), 'utf8')),
      folder: join(root, dirname(file)),
    }))
    .filter((manifest) => !manifest.private)
    .map(({ name, version, folder }) => ({ name, version, folder }));
}

/** Packs every published package into the folder, exactly as it would be published, and so built before. */
export async function packAll(folder) {
  const tarballs = [];
  for (const published of publishedPackages()) tarballs.push(await packFrom(published.folder, folder));
  return tarballs;
}

/** Packs the package of one folder into another, exactly as it would be published. @returns the archive's path */
export async function packFrom(from, folder) {
  const { stdout } = await promisify(execFile)('pnpm', ['pack', '--json', '--pack-destination', folder], {
    cwd: from,
    shell: process.platform === 'win32',
  });
  const packed = JSON.parse(stdout.slice(stdout.search(/^[{[]/m)));
  const { filename } = Array.isArray(packed) ? packed[0] : packed;
  return join(folder, filename.split(/[\\/]/).at(-1));
}
