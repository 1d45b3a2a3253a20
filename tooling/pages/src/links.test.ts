import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type Page, pages, proseOf, ROOT } from './page.js';

const PAGES = pages(
  '*.md',
  'docs/**/*.md',
  '{packages,apps,tooling}/*/README.md',
  'packages/*/src/**/README.md',
  '{benchmarks,examples/shop}/README.md',
);

test.each(PAGES)('every link of $file leads somewhere', (page) => {
  expect(linksOf(page).filter((link) => !resolves(page, link))).toEqual([]);
});

test('a page of a published package has whole links, because npm shows it without the repository', () => {
  const published = pages('packages/*/README.md').filter(({ file }) => {
    const manifest = readFileSync(join(ROOT, dirname(file), 'package.json'), 'utf8');
    return JSON.parse(manifest).private !== true;
  });
  const relative = published.flatMap((page) =>
    targetsOf(page).filter((target) => !/^([a-z]+:|#)/.test(target)),
  );
  expect(relative).toEqual([]);
});

test('the index of docs has every page of its four folders', () => {
  const [index] = pages('docs/README.md');
  const linked = index === undefined ? [] : linksOf(index).map((link) => `docs/${link}`);
  const missing = pages('docs/{start,use,run,judge}/*.md').filter(({ file }) => !linked.includes(file));
  expect(missing.map(({ file }) => file)).toEqual([]);
});

test('the files of decisions are there', () => {
  const [page] = pages('docs/judge/decisions.md');
  const named = [...(page?.text.matchAll(/`([\w-]+)\/…\/([^`]+\.ts)`/g) ?? [])];
  const files = named.map(([, name, path]) => `packages/${name}/src/${path}`);
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

/** The links to places of this repository. Those by its address are as if they began at its root. */
function linksOf(page: Page): string[] {
  const up = '../'.repeat(page.file.split('/').length - 1);
  return targetsOf(page)
    .map((target) => target.replace(OWN_ADDRESS, up))
    .filter((target) => !/^[a-z]+:/.test(target));
}

const OWN_ADDRESS = /^https:\/\/github\.com\/rowlock\/rowlock\/(?:blob|tree)\/main\//;

function targetsOf(page: Page): string[] {
  const prose = proseOf(page);
  const inline = [...prose.matchAll(/\]\(([^()\s]+)\)/g)];
  const references = [...prose.matchAll(/^\[[^\]]+\]: (\S+)$/gm)];
  return [...inline, ...references].map(([, target = '']) => target);
}

function resolves(page: Page, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? join(ROOT, page.file) : join(ROOT, dirname(page.file), path);
  if (!existsSync(target)) return false;
  if (anchor === undefined) return true;
  const file = statSync(target).isDirectory() ? join(target, 'README.md') : target;
  if (!existsSync(file)) return false;
  const text = readFileSync(file, 'utf8');
  return file.endsWith('.md') ? anchorsOf(text).has(anchor) : isLineOf(text, anchor);
}

function isLineOf(text: string, anchor: string): boolean {
  const [, line] = /^L(\d+)$/.exec(anchor) ?? [];
  return line !== undefined && Number(line) <= text.split('\n').length;
}

/** The anchors that GitHub gives to a page's headings. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of text.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#{1,6} (.*)$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let name = anchor;
    for (let again = 1; anchors.has(name); again++) name = `${anchor}-${again}`;
    anchors.add(name);
  }
  return anchors;
}
