import { globSync } from 'node:fs';
import { ROOT } from './repository.js';

/** Where the generated pages of the reference are, from the root of the repository. */
export const REFERENCE = 'apps/site/api';

/** Which files of the repository are pages of the site, and which place each has there. */
const PLACES: readonly (readonly [file: RegExp, place: string])[] = [
  [/^README\.md$/, 'index.md'],
  [/^docs\/README\.md$/, 'docs.md'],
  [/^docs\/([^/]+\/[^/]+\.md)$/, '$1'],
  [/^packages\/([^/]+)\/README\.md$/, 'packages/$1.md'],
  [new RegExp(`^${REFERENCE}/([^/]+\\.md)$`), 'api/$1'],
  [/^(ARCHITECTURE|CONTRIBUTING|SECURITY)\.md$/, '$1.md'],
];

/** The patterns of the same files. */
const FILES = [
  'README.md',
  '{ARCHITECTURE,CONTRIBUTING,SECURITY}.md',
  'docs/**/*.md',
  'packages/*/README.md',
  `${REFERENCE}/*.md`,
];

/** All other Markdown of the repository. */
export const NO_PAGES = [
  '**/node_modules/**',
  '**/dist/**',
  '.*/**',
  'apps/!(site)/**',
  'apps/site/!(api)/**',
  'apps/*.md',
  '{benchmarks,examples,tooling}/**',
  'packages/*/!(README.md)/**',
  'packages/*/!(README).md',
  '!(README|ARCHITECTURE|CONTRIBUTING|SECURITY).md',
];

/** The place of a file on the site, as `start/concepts.md`. Undefined for what is no page. */
export function placeOf(file: string): string | undefined {
  for (const [pattern, place] of PLACES) {
    if (pattern.test(file)) return lower(file.replace(pattern, place));
  }
  return undefined;
}

/** The path of a page's address, as `/start/concepts`. */
export function pathOf(place: string): string {
  return `/${place.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`;
}

/** The files of all pages. */
export function pageFiles(): string[] {
  return globSync(FILES, { cwd: ROOT })
    .filter((file) => placeOf(file) !== undefined)
    .sort();
}

function lower(place: string): string {
  return /^[A-Z]+\.md$/.test(place) ? place.toLowerCase() : place;
}
