import { defineProject, mergeConfig } from 'vitest/config';
import { testProject } from '../../vitest.shared.js';

export default defineProject(
  mergeConfig(testProject('instruments', { ofUser: true }), { test: { include: ['*.test.ts'] } }),
);
