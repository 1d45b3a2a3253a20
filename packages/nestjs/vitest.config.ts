import { defineProject, mergeConfig } from 'vitest/config';
import { testProject } from '../../vitest.shared.js';

// One process, which imports Nest, its two web servers and both databases' clients once: five would take as much CPU again.
export default defineProject(mergeConfig(testProject('nestjs'), { test: { maxWorkers: 1 } }));
