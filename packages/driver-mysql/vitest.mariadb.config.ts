import { defineProject, mergeConfig } from 'vitest/config';
import { testProject } from '../../vitest.shared.js';

/** The tests of driver-mysql again, on MariaDB. */
export default defineProject(
  mergeConfig(testProject('driver-mariadb'), {
    // One file at a time: beside others, a look by a filter has left out a job now and then. The reason is not found yet.
    test: { provide: { mysqlProduct: 'mariadb' }, maxWorkers: 1 },
  }),
);
