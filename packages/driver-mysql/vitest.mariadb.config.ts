import { defineProject, mergeConfig } from 'vitest/config';
import { testProject } from '../../vitest.shared.js';

/** The tests of driver-mysql again, on MariaDB. */
export default defineProject(
  mergeConfig(testProject('driver-mariadb'), {
    test: { provide: { mysqlProduct: 'mariadb' } },
  }),
);
