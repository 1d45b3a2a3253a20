/** Whether a value is an error, of this realm or another: jest and `vm` have an `Error` of their own, which `instanceof` refuses. */
export function isError(value: unknown): value is Error {
  return typeof value === 'object' && value !== null && 'message' in value && 'stack' in value;
}
