import { fileURLToPath } from 'node:url';
import MiniSearch, { type SearchResult } from 'minisearch';
import { createServer } from 'vitepress';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { declarationsOf } from '../../../tooling/rules/declarations.js';
import { pageFiles, pathOf, placeOf } from '../src/pages.js';
import { plainPages } from '../src/plain-pages.js';
import { referencePages } from '../src/reference/entries.js';
import { MINI_SEARCH } from '../src/search.js';
import { sidebar } from '../src/sidebar.js';
import { QUESTIONS } from './questions.js';

const SITE = fileURLToPath(new URL('..', import.meta.url));
/** What a window of the search shows before one scrolls. */
const SHOWN = 8;

let server: Awaited<ReturnType<typeof createServer>>;
let index: MiniSearch;
/** The addresses of all sections in the index. */
let sections: Set<string>;

// The index as VitePress makes it, from the pages of the site, without the site itself.
beforeAll(async () => {
  server = await createServer(SITE, { port: 0 });
  const module = await server.environments.client.pluginContainer.load('/@localSearchIndexroot');
  const json = JSON.parse(/^export default (".*")$/s.exec(String(module))?.[1] ?? '');
  const options = { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] };
  index = MiniSearch.loadJSON(json, { ...options, ...MINI_SEARCH.options });
  sections = new Set(Object.values<string>(JSON.parse(json).documentIds));
});
afterAll(() => server?.close());

describe.each(QUESTIONS)('the search answers', (question, ...pages) => {
  test(question, ({ skip }) => {
    const paths = pathsOfPages();
    skip(!pages.some((page) => paths.includes(page)), 'the page that answers it is not written yet');
    const found = pagesOf(index.search(question, MINI_SEARCH.searchOptions));
    expect(
      found.filter((page) => pages.includes(page)),
      found.join('\n'),
    ).not.toEqual([]);
  });
});

function pagesOf(results: readonly SearchResult[]): string[] {
  return results.slice(0, SHOWN).map(({ id }) => String(id).replace(/#.*/, ''));
}

function pathsOfPages(): string[] {
  return pageFiles().map((file) => pathOf(placeOf(file) ?? file));
}

test('every page is in the search and in the sidebar', () => {
  const linked = sidebar().flatMap(({ items }) => items.map(({ link }) => link));
  const indexed = new Set([...sections].map((address) => address.replace(/#.*/, '')));
  expect(pathsOfPages().filter((path) => !indexed.has(path))).toEqual([]);
  expect(pathsOfPages().filter((path) => !linked.includes(path))).toEqual(['/', '/docs']);
});

test('every link between pages leads to a page or a heading that is there', () => {
  const there = new Set([...sections, ...pathsOfPages()]);
  const dead = plainPages('').flatMap(({ place, text }) =>
    linksOf(text)
      .map((link) => (link.startsWith('#') ? pathOf(place) + link : link.replace(/\.md(?=#|$)/, '')))
      .filter((link) => !there.has(link.replace(/^\/index/, '/')))
      .map((link) => `${place}: ${link}`),
  );
  expect(dead).toEqual([]);
});

test('all that the packages export has a section of the reference', () => {
  const exported = referencePages().flatMap(({ entries }) =>
    entries.flatMap(({ declarations }) => declarationsOf(declarations).map(({ name }) => name)),
  );
  const described = [...sections].filter((address) => address.startsWith('/api/'));
  const names = new Set(described.map((address) => address.replace(/.*#/, '')));
  expect(exported.length).toBeGreaterThan(100);
  expect(exported.filter((name) => !names.has(name.toLowerCase()))).toEqual([]);
});

function linksOf(text: string): string[] {
  const prose = text.replaceAll(/^ *```.*?^ *```|`[^`\n]*`/gms, '');
  return [...prose.matchAll(/\]\(([#/][^()\s]*)\)/g)].map(([, link = '']) => link);
}
