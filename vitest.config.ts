import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      '{packages,apps,tooling}/*/vitest.config.ts',
      'example[s]/vitest.config.ts',
      'benchmark[s]/vitest.config.ts',
      // Where it is asked for: one more server to fetch and to wait for.
      ...(process.env.TEST_MARIADB === '1' ? ['packages/driver-mysql/vitest.mariadb.config.ts'] : []),
    ],
    globalSetup: './tooling/servers/src/vitest-setup.ts',
    teardownTimeout: 30_000,
  },
});
