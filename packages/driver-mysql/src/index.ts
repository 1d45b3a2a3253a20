export type {
  Isolation,
  LockRowsOptions,
  RowCondition,
  RowValue,
  TableName,
  TransactionOptions,
} from '@rowlock/core/driver';
export { defineHandler } from './define-handler.js';
export { mysql } from './driver.js';
export { type JsonColumn, type JsonTarget, updateJson } from './json/update-json.js';
export { migrationScript } from './migrations.js';
export type { MysqlOptions } from './options.js';
export type { Product } from './product.js';
export type { MysqlTransaction } from './query.js';
export { type LockStrength, lockRows } from './transaction/lock-rows.js';
export { transaction } from './transaction/transaction.js';
