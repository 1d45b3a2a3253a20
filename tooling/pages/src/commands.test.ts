import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Block, blocksOf, pages, ROOT } from './page.js';

const json = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const scripts: Readonly<Record<string, string>> = json('package.json').scripts;
const programs = globSync('packages/*/package.json', { cwd: ROOT })
  .map(json)
  .filter(({ bin }) => bin !== undefined)
  .flatMap(({ name, bin }) => [name, ...Object.keys(bin)]);

/** What a command of the pages may be, and whether there is such a one. */
const KNOWN: readonly { readonly form: RegExp; readonly exists: (name: string) => boolean }[] = [
  { form: /^npm (?:run )?(start|test|interleave|chaos|bench)\b/, exists: (name) => name in scripts },
  { form: /^node (scripts\/\S+)/, exists: (name) => existsSync(join(ROOT, name)) },
  { form: /^npm create ([\w-]+)@latest\b/, exists: (name) => programs.includes(`create-${name}`) },
  { form: /^npx (tsx) first\.ts$/, exists: () => true },
  { form: /^npx (\S+)/, exists: (name) => programs.includes(name) },
  // The test of the tarballs does the same with what would be published.
  { form: /^(npm) (init -y$|install |pkg set )/, exists: () => true },

  { form: /^(export) DATABASE_URL=/, exists: () => true },
];

const commands = pages('README.md', 'docs/**/*.md')
  .flatMap(blocksOf)
  .filter(({ language }) => language === 'sh')
  .flatMap((block: Block) => block.code.trim().split('\n'));

test.each(commands)('there is what this asks for: %s', (command) => {
  const known = KNOWN.find(({ form }) => form.test(command));
  expect(known?.exists(known.form.exec(command)?.[1] ?? '')).toBe(true);
});
