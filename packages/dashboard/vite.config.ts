import { defineConfig } from 'vite';

export default defineConfig({
  root: 'page',
  // Relative addresses: the page is mounted anywhere.
  base: './',
  build: {
    outDir: '../dist/page',
    emptyOutDir: true,
    // The strict content security policy allows no `data:`.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
