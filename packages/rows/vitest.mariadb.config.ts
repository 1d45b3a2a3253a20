import { defineProject, mergeConfig } from 'vitest/config';
import { testProject } from '../../vitest.shared.js';

const shared = testProject('rows-mariadb');

/** The tests on MySQL again, on MariaDB. */
export default defineProject(
  mergeConfig(shared, {
    test: { provide: { mysqlProduct: 'mariadb' }, exclude: ['test/postgres/**'] },
  }),
);
