export { JobHandler, type RunOf } from './job-handler.js';
export { Recurring } from './recurring.js';
export { RowlockModule, type RowlockModuleOptions } from './rowlock-module.js';
export { TRANSACTION } from './transaction.js';
