/**
 * Goes on with a value that may still be on its way. At once where it is not: a caller who does not await a call with
 * `tx` must not get ahead of its first statement.
 */
export function withValue<Value, Result>(
  value: Value | Promise<Value>,
  goOn: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
