// Removes what an earlier build of the package in this folder left in `dist` of sources that are gone. tsc does not, and turbo would keep
// it with the build: a test that still needs such a file would pass here, and fail on a fresh clone.
import { existsSync, globSync, rmSync } from 'node:fs';

for (const file of globSync('dist/**/*.{js,d.ts,js.map}', { exclude: ['dist/page/**'] })) {
  const source = file.replace(/^dist/, 'src').replace(/\.(js|d\.ts|js\.map)$/, '');
  if (!['.ts', '.tsx'].some((end) => existsSync(source + end))) rmSync(file);
}
