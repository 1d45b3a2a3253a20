export { type PostgresOptions, postgres } from './driver.js';
export { migrationScript } from './migrations.js';
export type { PostgresTransaction, QueryConfig } from './query.js';
