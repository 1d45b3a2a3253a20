/** What differs between MySQL and MariaDB where one is found and started. */
export interface MysqlProduct {
  readonly name: 'MySQL' | 'MariaDB';
  readonly urlVariable: 'TEST_MYSQL_URL' | 'TEST_MARIADB_URL';
  readonly imageVariable: 'TEST_MYSQL_IMAGE' | 'TEST_MARIADB_IMAGE';
  readonly image: string;
  /** The server's names on the PATH. MariaDB also answers to `mysqld`: its version tells. */
  readonly programs: readonly string[];
  readonly debian: { readonly suite: string; readonly name: string; readonly program: string };
  readonly passwordFile: string;
}

export const MYSQL: MysqlProduct = {
  name: 'MySQL',
  urlVariable: 'TEST_MYSQL_URL',
  imageVariable: 'TEST_MYSQL_IMAGE',
  image: 'mysql:8.4',
  programs: ['mysqld'],
  // No other suite of Debian has MySQL.
  debian: { suite: 'sid', name: 'mysql-server-core', program: 'usr/sbin/mysqld' },
  passwordFile: 'rowlock-mysql.password',
};

export const MARIADB: MysqlProduct = {
  name: 'MariaDB',
  urlVariable: 'TEST_MARIADB_URL',
  imageVariable: 'TEST_MARIADB_IMAGE',
  // 10.11 in both places, unless another is asked for: of the versions with long-term support the oldest, which knows least.
  image: 'mariadb:10.11',
  programs: ['mariadbd', 'mysqld'],
  debian: {
    suite: process.env.TEST_MARIADB_SUITE || 'bookworm',
    name: 'mariadb-server-core',
    program: 'usr/sbin/mariadbd',
  },
  passwordFile: 'rowlock-mariadb.password',
};
