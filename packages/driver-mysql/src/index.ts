export { defineHandler } from './define-handler.js';
export { mysql } from './driver.js';
export type { MysqlOptions } from './options.js';
export type { Product } from './product.js';
export type { MysqlTransaction } from './query.js';
export { migrationScript } from './schema/migrations.js';
