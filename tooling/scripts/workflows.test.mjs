import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { workflowFaults } from './workflow-faults.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (file) => readFileSync(join(ROOT, file), 'utf8');
const FILES = globSync('.github/{workflows/*.yml,actions/*/action.yml}', { cwd: ROOT });

test.each(FILES)('%s is one that GitHub takes, with pinned actions', async (file) => {
  expect(await workflowFaults(file, read(file))).toEqual([]);
});

test('every part and every task that the workflows name exists', () => {
  const texts = FILES.map(read).join('\n');
  const named = (form) => [...texts.matchAll(form)].map(([, name]) => name);
  const parts = named(/^ {10}- (the .*)$/gm);
  const known = [...read('.ci/run').matchAll(/bounded \d+ '(.*?)'/g)].map(([, name]) => name);
  expect(known).toEqual(expect.arrayContaining(parts));
  const scripts = Object.keys(JSON.parse(read('package.json')).scripts);
  expect(scripts).toEqual(
    expect.arrayContaining(named(/(?:run|script): (?:npm run|pnpm) (?!install|exec)([\w:]+)/g)),
  );
  const projects = globSync('packages/*/vitest*.config.ts', { cwd: ROOT })
    .map(read)
    .map((text) => /testProject\('(.*?)'\)/.exec(text)?.[1]);
  expect(projects).toEqual(expect.arrayContaining(named(/--project (\S+)/g)));
});

const WORKFLOW = `on: push
jobs:
  one:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
      - run: echo \${{ github.ref }}
`;

test.each([
  ['a key that is none', ['runs-on', 'run-on']],
  ['an expression that is none', ['github.ref', 'github.ref ==']],
  ['a context that is none', ['github.ref', 'matrixes.ref']],
  ['a job that needs one that is not there', ['runs-on', 'needs: two\n    runs-on']],
  ['a tag', ['3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1', 'v7']],
  ['a commit without its version', [' # v7.0.1', '']],
])('%s is found', async (_, [from, to]) => {
  expect(await workflowFaults('.github/workflows/a.yml', WORKFLOW)).toEqual([]);
  const faults = await workflowFaults('.github/workflows/a.yml', WORKFLOW.replace(from, to));
  expect(faults).not.toEqual([]);
});
