import { defineProject } from 'vitest/config';
import { testProject } from '../vitest.shared.js';

const project = testProject('examples', { ofUser: true });

export default defineProject({ ...project, test: { ...project.test, include: ['test/**/*.test.ts'] } });
