import { defineProject, mergeConfig } from 'vitest/config';
import { testProject } from '../vitest.shared.js';

export default defineProject(mergeConfig(testProject('benchmarks'), { test: { include: ['*.test.mjs'] } }));
