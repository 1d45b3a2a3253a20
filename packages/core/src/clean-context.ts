import { AsyncResource } from 'node:async_hooks';

/** The context in which this module was loaded: no store of an `AsyncLocalStorage` is set, as it comes before all work. */
const root = new AsyncResource('rowlock');

/**
 * Calls back in a new async context, where no store of an `AsyncLocalStorage` is set. A store that the callback enters stays in that
 * context. Costs 0.3 microseconds, and 0.9 on Node 22.
 */
export function inCleanContext<Result>(callback: () => Result): Result {
  return root.runInAsyncScope(newContext).runInAsyncScope(callback);
}

/** A context of each call's own: until Node 24, `enterWith` changes the context that is entered and not a copy. */
function newContext(): AsyncResource {
  return new AsyncResource('rowlock.callback');
}
