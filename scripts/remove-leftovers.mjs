// Removes what an earlier build left in `dist` of sources that are gone: neither tsc nor turbo does, and a test or a package that
// still needs such a file would pass here and fail on a fresh clone.
import { existsSync, globSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const built = globSync('{apps,packages,tooling}/*/dist/**/*.{js,d.ts,js.map}', {
  cwd: root,
  exclude: ['**/dist/page/**', '**/node_modules/**'],
});
for (const file of built) {
  const source = file.replace('/dist/', '/src/').replace(/\.(js|d\.ts|js\.map)$/, '');
  if (!['.ts', '.tsx'].some((end) => existsSync(join(root, source + end)))) rmSync(join(root, file));
}
