// Writes one file for each entry of the published package in this folder, because a program that loads 200 small files waits for them.
// What two entries share is a file beside them, so that a class is the same through either. The compiler adds the declarations.
import { globSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const SOURCES = resolve('src');
const { exports, bin = {} } = JSON.parse(readFileSync('package.json', 'utf8'));

for (const file of globSync('dist/**/*.{js,d.ts,js.map}', { exclude: ['dist/page/**'] })) rmSync(file);
const built = [...Object.values(exports).map((entry) => entry.default), ...Object.values(bin)];
const names = built.filter(Boolean).map((file) => file.replace(/^\.\/dist\/(.*)\.js$/, '$1'));
const bundled = await rolldown({
  input: Object.fromEntries(names.map((name) => [name, join(SOURCES, `${name}.ts`)])),
  external: (id) => !id.startsWith('.') && !id.startsWith(SOURCES),
  platform: 'node',
  tsconfig: 'tsconfig.build.json',
  experimental: { nativeMagicString: true },
  plugins: [{ name: 'own-place', transform: ownPlace }],
  onLog: (level, log) => {
    if (level === 'warn') throw new Error(log.message);
  },
});
await bundled.write({ dir: 'dist', format: 'esm', sourcemap: true, chunkFileNames: 'shared.js' });

/** A module finds its package's files from its own place, which is not the bundle's. */
function ownPlace(code, id, { magicString }) {
  const place = relative(SOURCES, id).replaceAll('\\', '/').replace(/\.ts$/, '.js');
  if (!place.includes('/') || !code.includes('import.meta.url')) return null;
  return { code: magicString.replaceAll('import.meta.url', `new URL('./${place}', import.meta.url)`) };
}
