// What `@rowlock/rows` needs of this driver. It is no API: it may change in any version.

export type { Pool, PoolConnection } from 'mysql2/promise';
export { Endings, endsTransaction, textOf } from './claims/handler-statements.js';
export { SerialConnection } from './claims/serial-connection.js';
export { callersConnection } from './connection/callers-connection.js';
export { CallersTransaction } from './connection/callers-transaction.js';
export { cut } from './connection/session.js';
export { toDriverError, undoesTransaction } from './errors.js';
export { identifier } from './identifier.js';
export { stepsOf } from './jobs/json-steps.js';
export { assignmentsOf } from './jobs/statements/update-json.js';
export { type Fragment, joined, raw, sql } from './values/fragment.js';
export { list } from './values/list.js';
