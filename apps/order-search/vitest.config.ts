import { configDefaults, defineProject, mergeConfig } from 'vitest/config';
import { testProject } from '../../vitest.shared.js';

// A measurement of a quiet machine, and no test: it is made where a rate is given.
const measured = process.env.CHANGES_PER_SECOND === undefined ? ['test/freshness.test.ts'] : [];

export default defineProject(
  mergeConfig(testProject('order-search', { ofUser: true }), {
    test: { exclude: [...configDefaults.exclude, ...measured] },
  }),
);
