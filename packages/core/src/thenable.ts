/**
 * Whether a value can be awaited: a promise, also of another realm as jest and `vm` make them, or an object like a query builder,
 * which begins when it is awaited.
 */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject && 'then' in value && typeof value.then === 'function';
}
