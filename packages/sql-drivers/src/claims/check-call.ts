import { DriverError } from '@rowlock/core';

/**
 * Checks the form of a call. A callback, or a query that is an object with a life of its own, as a stream, would be sent without an answer.
 *
 * @throws DriverError `InvalidInput`
 */
export function checkCall(given: readonly unknown[]): void {
  const [statement] = given;
  const { submit, callback } = Object(statement);
  const isCallback = [...given.slice(1), callback].some((each) => typeof each === 'function');
  if (typeof submit !== 'function' && !isCallback) return;
  throw new DriverError(
    'InvalidInput',
    `${isCallback ? 'A callback' : 'A query object or a stream'} does not fit this tx: pass a text and values, and await the answer. ` +
      'The statement was not sent.',
  );
}
