import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { name: 'google-sheets-emulator', include: ['test/**/*.test.ts', 'src/**/*.test.ts'] },
});
