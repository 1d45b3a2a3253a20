export { defineHandler } from './define-handler.js';
export { postgres } from './driver.js';
export type { PostgresOptions } from './options.js';
export type { PostgresTransaction, QueryConfig } from './query.js';
export { migrationScript } from './schema/migrations.js';
