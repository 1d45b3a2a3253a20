import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { MARKDOWN } from '../src/markdown.js';
import { NO_PAGES, placeOf } from '../src/pages.js';
import { writePlainPages } from '../src/plain-pages.js';
import { writeReference } from '../src/reference/write-reference.js';
import { HOME, ROOT } from '../src/repository.js';
import { MINI_SEARCH, textForIndex } from '../src/search.js';
import { sidebar } from '../src/sidebar.js';

/** Where the site is, without a slash at its end. `SITE_BASE` is the folder there, if it has one, as `/rowlock/`. */
const { SITE_ADDRESS = '', SITE_BASE = '/' } = process.env;

writeReference();
const sections = sidebar();

function placeOfPage(file: string): string {
  const place = placeOf(file);
  if (place === undefined)
    throw new Error(`${file} is no page of the site, and src/pages.ts does not leave it out.`);
  return place;
}

export default defineConfig({
  title: 'Rowlock',
  description: 'A job framework for TypeScript in which a job is a row in your own Postgres or MySQL.',
  lang: 'en',
  base: SITE_BASE,
  srcDir: ROOT,
  srcExclude: NO_PAGES,
  rewrites: placeOfPage,
  outDir: fileURLToPath(new URL('../dist', import.meta.url)),
  cleanUrls: true,
  markdown: MARKDOWN,
  vite: {
    // The index of the search is one file, which is loaded with the first search.
    build: { chunkSizeWarningLimit: 2_000 },
    plugins: [
      {
        // A page becomes a module beside its file, where no node_modules has Vue.
        name: 'vue of the site',
        enforce: 'pre',
        resolveId(id, importer) {
          if (/^vue(\/|$)/.test(id) && importer?.includes('.md'))
            return this.resolve(id, fileURLToPath(import.meta.url), { skipSelf: true });
          return undefined;
        },
      },
    ],
  },
  transformHead: ({ pageData: { relativePath } }) => [
    ['link', { rel: 'alternate', type: 'text/markdown', href: SITE_BASE + relativePath }],
  ],
  buildEnd: ({ outDir }) => writePlainPages(outDir, `${SITE_ADDRESS}${SITE_BASE.replace(/\/$/, '')}`),
  themeConfig: {
    nav: sections.map(({ text, items }) => ({
      text,
      link: items[0]?.link ?? '/',
      activeMatch: `^/${items[0]?.link?.split('/')[1]}/`,
    })),
    sidebar: sections,
    outline: { level: [2, 3], label: 'On this page' },
    editLink: { pattern: `${HOME}/edit/main/:path`, text: 'Edit this page' },
    socialLinks: [{ icon: 'github', link: HOME }],
    search: {
      provider: 'local',
      options: { miniSearch: MINI_SEARCH, _render: textForIndex },
    },
  },
});
