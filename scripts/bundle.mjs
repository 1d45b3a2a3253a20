// Writes one file for each entry of the published package in this folder, because a program that loads 200 small files waits for them.
// What two entries share is a file beside them, so that a class is the same through either. The compiler adds the declarations.
import { globSync, readFileSync, rmSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const SOURCES = resolve('src');
const { exports, bin = {}, dependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8'));

const entries = Object.values(exports).filter((entry) => typeof entry === 'object');

for (const file of globSync('dist/**/*.{js,cjs,d.ts,d.cts,map}', { exclude: ['dist/page/**'] })) rmSync(file);
const modules = entries.map((entry) => entry.default.default ?? entry.default);
await write('js', 'esm', [...modules, ...Object.values(bin)], () => false);
const required = entries.flatMap((entry) => entry.require?.default ?? []);
if (required.length > 0) await write('cjs', 'cjs', required, isModuleAlone);

async function write(ending, format, files, isInside) {
  const names = files.map((file) => file.replace(/^\.\/dist\/(.*)\.c?js$/, '$1'));
  const bundled = await rolldown({
    input: Object.fromEntries(names.map((name) => [name, join(SOURCES, `${name}.ts`)])),
    external: (id, from, isResolved) => !isResolved && isOfAnother(id, from) && !isInside(id),
    platform: 'node',
    tsconfig: 'tsconfig.build.json',
    experimental: { nativeMagicString: true },
    plugins: [{ name: 'own-place', transform: ownPlace }],
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  const [entryFileNames, chunkFileNames] = [`[name].${ending}`, `shared.${ending}`];
  await bundled.write({ dir: 'dist', format, sourcemap: true, entryFileNames, chunkFileNames });
}

function isOfAnother(id, from) {
  return from?.startsWith(SOURCES) && !id.startsWith('.') && !id.startsWith(SOURCES);
}

/** A dependency that jest cannot load in CommonJS, and so is a part of that build. */
function isModuleAlone(id) {
  const name = id.split('/', id.startsWith('@') ? 2 : 1).join('/');
  if (!Object.hasOwn(dependencies, name)) return false;
  const file = findPackageJSON(name, pathToFileURL(resolve('package.json')));
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  return manifest.type === 'module' && !JSON.stringify(manifest.exports).includes('"require"');
}

/** A module finds its package's files from its own place, which is not the bundle's. */
function ownPlace(code, id, { magicString }) {
  const place = relative(SOURCES, id).replaceAll('\\', '/').replace(/\.ts$/, '.js');
  if (!place.includes('/') || !code.includes('import.meta.url')) return null;
  return { code: magicString.replaceAll('import.meta.url', `new URL('./${place}', import.meta.url)`) };
}
