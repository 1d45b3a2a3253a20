import { defineProject, mergeConfig } from 'vitest/config';
import { testProject } from '../../vitest.shared.js';

/** The tests of driver-mysql again, on MariaDB; but for the interleavings: nobody asks it yet who waits for whom. */
export default defineProject(
  mergeConfig(testProject('driver-mariadb'), {
    test: { provide: { mysqlProduct: 'mariadb' }, exclude: ['test/interleavings.test.ts'] },
  }),
);
