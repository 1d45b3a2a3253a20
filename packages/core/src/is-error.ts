/** Whether a value is an error, of this realm or another: jest and `vm` have an `Error` of their own, which `instanceof` refuses. */
export function isError(value: unknown): value is Error {
  return readOr(
    false,
    () => typeof value === 'object' && value !== null && 'message' in value && 'stack' in value,
  );
}

/** What a function reads of an error, unless it throws: anything may be thrown, a proxy or an object whose getters throw too. */
export function readOr<Value>(otherwise: Value, read: () => Value): Value {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

export const UNREADABLE = 'An error that cannot be shown.';

/** The most errors of a chain that are looked at. A chain may be a circle. */
const DEEPEST_CAUSE = 8;

/** An error and its causes, the outermost first. */
export function causesOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let each = error; isError(each) && chain.length < DEEPEST_CAUSE; ) {
    const known = each;
    chain.push(known);
    each = readOr(undefined, () => known.cause);
  }
  return chain;
}

/** The first error in an error that has several: a host with several addresses has one for each. Otherwise the error itself. */
export function firstError(error: unknown): unknown {
  const errors = readOr(undefined, () => Object(error).errors);
  return Array.isArray(errors) && isError(errors[0]) ? firstError(errors[0]) : error;
}

/** The message of an error. One that has several errors in it has none of its own. */
export function messageOf(error: unknown): string {
  return readOr(UNREADABLE, () => {
    const first = firstError(error);
    return isError(first) ? first.message : String(first);
  });
}
