import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { type Block, blocksOf, pages } from './page.js';

// A block of TypeScript in a page is either a piece of an example or of its test, to the letter, and the examples' own tests run it;
// or it is a fragment, and compiles with the names of fragment-names.ts. The first page has no fragments.

const EXAMPLES = pages('examples/*.ts', 'examples/test/*.ts').map(({ text }) => text);
const FOLDER = fileURLToPath(new URL('../', import.meta.url));

const isPieceOfExample = ({ code }: Block): boolean => EXAMPLES.some((text) => text.includes(code.trim()));
const typescript = (...patterns: readonly string[]): Block[] =>
  pages(...patterns)
    .flatMap(blocksOf)
    .filter(({ language }) => language === 'ts');
const place = ({ file, line }: Block): string => `${file}:${line}`;

test('every TypeScript block of the README is a piece of an example', () => {
  const blocks = typescript('README.md');
  expect(blocks.length).toBeGreaterThan(0);
  expect(blocks.filter((block) => !isPieceOfExample(block)).map(place)).toEqual([]);
});

test('every other TypeScript block of the pages compiles', async () => {
  const fragments = typescript(
    'docs/**/*.md',
    'packages/{core,adapters,driver-postgres,driver-mysql,driver-memory,rows,telemetry,dashboard,nestjs,testing}/README.md',
  ).filter((block) => !isPieceOfExample(block));
  expect(fragments.length).toBeGreaterThan(0);
  expect(await compile(fragments)).toBe('');
});

test("code in the pages is TypeScript, another queue's JavaScript, SQL, a command, or a file of settings", () => {
  const languages = new Set(
    pages('README.md', 'docs/**/*.md')
      .flatMap(blocksOf)
      .map(({ language }) => language),
  );
  expect([...languages].sort()).toEqual(['dockerfile', 'js', 'json', 'sh', 'sql', 'ts', 'yaml']);
});

/** As applications of Next.js name their own modules. */
const PATHS = { '@/lib/rowlock': ['./docs-use-frameworks/lib/rowlock.ts'] };

/**
 * What the compiler says. A page has a folder, in which a fragment is called after its line, so that its mistakes show where they are. One whose
 * first line is `// jobs.ts` has that name, and others of its page import it.
 */
async function compile(fragments: readonly Block[]): Promise<string> {
  // Below this package: here a fragment's imports are found.
  await mkdir(join(FOLDER, 'dist'), { recursive: true });
  const folder = await mkdtemp(join(FOLDER, 'dist/fragments-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const written = new Set<string>();
  for (const { file, line, code } of fragments) {
    const page = join(folder, file.replaceAll('/', '-').replace(/\.md$/, ''));
    const name = /^\/\/ (\S+\.ts)\n/.exec(code)?.[1] ?? '';
    const path = join(page, name === '' || written.has(join(page, name)) ? `line-${line}.ts` : name);
    written.add(path);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${code}\nexport {};\n`);
  }
  const config = {
    extends: '../../../../tsconfig.base.json',
    // `strict`, and no more than that: as in most applications.
    compilerOptions: { noEmit: true, declaration: false, exactOptionalPropertyTypes: false, paths: PATHS },
    include: ['**/*.ts', '../../src/fragment-names.ts', '../../src/fragment-modules.d.ts'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace(/package\.json$/, 'bin/tsc');
  return promisify(execFile)(process.execPath, [tsc, '-p', folder], { cwd: folder }).then(
    () => '',
    (error: { stdout: string; message: string }) => error.stdout || error.message,
  );
}
