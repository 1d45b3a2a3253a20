import { defineProject } from 'vitest/config';
import { testProject } from '../../vitest.shared.js';

export default defineProject(testProject('spreadsheets', { ofUser: true }));
