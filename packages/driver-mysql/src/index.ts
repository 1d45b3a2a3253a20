export { mysql } from './driver.js';
export type { MysqlOptions } from './options.js';
export { migrationScript } from './schema/migrations.js';
export type { Product } from './schema/product.js';
export type { MysqlTransaction } from './statements/query.js';
