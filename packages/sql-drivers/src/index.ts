// What the drivers of SQL databases share. Applications and handlers need none of it.
// It is as internal as the drivers' contract in core: semantic versioning does not cover it.

export * from './captures/backfill-errors.js';
export { refusedTable, tryCapture, tryValues } from './captures/capture-trial.js';
export { type BackfillRows, fillRows, lossOf } from './captures/fill-rows.js';
export * from './claims/bare-statements.js';
export * from './claims/check-call.js';
export * from './claims/own-savepoints.js';
export * from './connection/check-database.js';
export * from './connection/check-pool-options.js';
export * from './connection/client-version.js';
export * from './connection/connection-url.js';
export * from './connection/own-handle.js';
export type { ClientPool } from './connection/pool-size.js';
export { SharedPool } from './connection/shared-pool.js';
export * from './connection/socket-errors.js';
export * from './connection/transaction-errors.js';
export { unaccepted, verifyLocks } from './connection/verify-locks.js';
export * from './schema/applied-migrations.js';
export * from './schema/despite-locks.js';
export * from './schema/dropped-tables.js';
export * from './schema/migration-files.js';
export * from './schema/missing-tables.js';
export * from './schema/outdated-tables.js';
export * from './schema/refused-migration.js';
export * from './values/created-ms.js';
export * from './values/id-range.js';
export * from './values/stored-error.js';
export * from './workers/keep-checking.js';
export * from './workers/worker-id.js';
