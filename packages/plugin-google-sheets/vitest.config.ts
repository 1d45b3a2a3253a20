import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { name: 'plugin-google-sheets', include: ['test/**/*.test.ts', 'src/**/*.test.ts'] },
});
