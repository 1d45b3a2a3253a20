// What the global setup of vitest.config.ts provides: import this module for its types, then `inject('postgresUrl')`.
import 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Superuser's URL of the one Postgres of this test run; give it to `freshDatabase`. */
    postgresUrl: string;
    /** root's URL of the one MySQL of this test run, for projects that depend on mysql2; for `freshMysqlDatabase`. */
    mysqlUrl: string;
    /** The same of the MariaDB, which runs only with `TEST_MARIADB=1`. */
    mariadbUrl: string | undefined;
    /** Which of the two a project is for; a project's own configuration provides it. MySQL unless it says otherwise. */
    mysqlProduct: 'mysql' | 'mariadb' | undefined;
  }
}
