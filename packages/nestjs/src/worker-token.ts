/** The token of the worker of this process. Null where it has none. */
export const WORKER = Symbol.for('rowlock.worker');
