import { isDriverError } from '@rowlock/core';

/** What a command leads to. */
export type Result = unknown;

/** What came of it, or the code of the driver's refusal. */
export async function refusalOr<Answer>(
  work: Promise<Answer>,
): Promise<Answer | { readonly refused: string }> {
  try {
    return await work;
  } catch (error) {
    if (!isDriverError(error)) throw error;
    return { refused: error.code };
  }
}

/** Equal to whatever a driver answers: the contract leaves it open. */
export const EITHER = 'either';

/** Whatever the contract leaves open is equal. */
export function leftOpen(expected: Result, got: Result): Result {
  const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
  if (!isObject(expected) || !isObject(got)) return got;
  const open = Object.entries(expected).filter(([, value]) => value === EITHER);
  return open.length === 0 ? got : { ...got, ...Object.fromEntries(open) };
}
