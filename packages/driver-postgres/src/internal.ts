// What `@rowlock/rows` needs of this driver. It is no API: it may change in any version.

export type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
export { Endings, textOf } from './claims/handler-statements.js';
export { CallersTransaction } from './connection/callers-transaction.js';
export { cut, watch } from './connection/connection.js';
export { toDriverError } from './errors.js';
export { identifier } from './identifier.js';
export { updatedJson } from './jobs/statements/update-json.js';
export { WITHIN } from './values/within.js';
