/**
 * Whether a value can be awaited: a promise, also of another realm as jest and `vm` make them, or an object like a query builder,
 * which begins when it is awaited.
 */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject && 'then' in value && typeof value.then === 'function';
}

/** The same value. If it is a promise, nobody awaits it, so its rejection must not end the process. */
export function unawaited<Value>(value: Value): Value {
  if (isThenable(value)) void Promise.resolve(value).catch(() => {});
  return value;
}

/** Makes a call that nobody waits for, and passes on what it throws, or what its promise is rejected with. */
export function attempt(call: () => unknown, failed: (error: unknown) => void): void {
  try {
    const returned = call();
    if (isThenable(returned)) void Promise.resolve(returned).catch(failed);
  } catch (error) {
    failed(error);
  }
}
