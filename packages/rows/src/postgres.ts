export type { RowCondition, RowValue, TableName } from '@rowlock/core/driver';
export type { LockRowsOptions } from './lock-statement.js';
export { type LockStrength, lockRows } from './postgres/lock-rows.js';
export { transaction } from './postgres/transaction.js';
export { type JsonColumn, type JsonTarget, updateJson } from './postgres/update-json.js';
export type { Isolation, TransactionOptions } from './repeat-transaction.js';
export type { Where } from './where.js';
