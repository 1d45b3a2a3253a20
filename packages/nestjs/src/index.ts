export { JobHandler, type RunOf } from './job-handler.js';
export { Recurring, type RecurringSchedule } from './recurring.js';
export { RowlockModule, type RowlockModuleOptions, type RowlockWorkerOptions } from './rowlock-module.js';
export { TRANSACTION } from './transaction.js';
