export { type MysqlOptions, mysql } from './driver.js';
export { migrationScript } from './migrations.js';
export type { Product } from './product.js';
export type { MysqlTransaction } from './query.js';
