export { cacheFolder } from './cache-folder.js';
export {
  type EmbeddedMysql,
  type EmbeddedMysqlOptions,
  startEmbeddedMariadb,
  startEmbeddedMysql,
} from './embedded-mysql.js';
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './embedded-postgres.js';
export { type EmbeddedRedis, startEmbeddedRedis } from './embedded-redis.js';
export { freePort, onFreePort, onPortAgain } from './free-port.js';
export { type FreshDatabase, freshDatabase } from './fresh-database.js';
export { freshMysqlDatabase } from './fresh-mysql-database.js';
export { mariadbForTests, mysqlForTests, type TestMysql } from './mysql-for-tests.js';
export { postgresForTests, type TestPostgres, type TestPostgresOptions } from './postgres-for-tests.js';
export { type SharedDatabases, sharedDatabases, sharedMysqlDatabases } from './shared-databases.js';
export { temporaryDataDir } from './temporary-data-dir.js';
