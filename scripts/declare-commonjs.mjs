// Writes the declarations of the CommonJS build of the package in this folder, which are those of the modules under other names.
import { globSync, readFileSync, writeFileSync } from 'node:fs';

const RELATIVE = /(\bfrom\s+|\bimport\s*\(?\s*)(['"])(\.{1,2}\/[^'"]*)\.js\2/g;

for (const file of globSync('dist/**/*.d.ts', { exclude: ['dist/page/**'] })) {
  const text = readFileSync(file, 'utf8').replaceAll(RELATIVE, '$1$2$3.cjs$2');
  writeFileSync(file.replace(/\.d\.ts$/, '.d.cts'), text);
}
