import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: ['{packages,apps,tooling}/*/vitest.config.ts', 'example[s]/vitest.config.ts'],
    globalSetup: './tooling/servers/src/vitest-setup.ts',
    // Each worker keeps a database busy as well: two of them fill two cores.
    maxWorkers: 2,
    teardownTimeout: 30_000,
  },
});
