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

/** Packs every published package into the folder, exactly as it would be published. @returns the paths of the archives */
export async function packAll(folder) {
  const published = publishedPackages();
  const filters = published.flatMap(({ name }) => ['--filter', name]);
  // What their `prepack` does, once for all of them.
  await pnpm(root, ['turbo', 'run', 'build', ...filters]);
  await pnpm(root, [...filters, '--config.ignore-scripts=true', 'pack', '--pack-destination', folder]);
  return published.map(({ name, version }) => join(folder, `${archiveName(name)}-${version}.tgz`));
}

/** Packs the package of one folder into another, exactly as it would be published. @returns the archive's path */
export async function packFrom(from, folder) {
  const stdout = await pnpm(from, ['pack', '--json', '--pack-destination', folder]);
  const packed = JSON.parse(stdout.slice(stdout.search(/^[{[]/m)));
  const { filename } = Array.isArray(packed) ? packed[0] : packed;
  return join(folder, filename.split(/[\\/]/).at(-1));
}

async function pnpm(cwd, args) {
  const { stdout } = await promisify(execFile)('pnpm', args, { cwd, shell: process.platform === 'win32' });
  return stdout;
}

/** Of `@rowlock/core` it is `rowlock-core`. */
function archiveName(name) {
  return name.replace(/^@/, '').replace('/', '-');
}
