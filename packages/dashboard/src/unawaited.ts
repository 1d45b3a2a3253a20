import { isPromise } from 'node:util/types';

/**
 * Whether a function that is to answer at once has returned a promise instead. Nobody waits for the promise, so its
 * rejection must not end the process.
 */
export function isUnawaited(value: unknown): value is Promise<unknown> {
  if (!isPromise(value)) return false;
  value.catch(() => {});
  return true;
}
