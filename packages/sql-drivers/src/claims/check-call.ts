import { DriverError } from '@rowlock/core';

/**
 * Checks the form of a call. A callback, or a query that is an object with a life of its own, as a stream, would be sent without an answer.
 * At what is no text the client of MySQL would end the connection, and the claim with it.
 *
 * @throws DriverError `InvalidInput`
 */
export function checkCall(given: readonly unknown[]): void {
  const [statement] = given;
  const { submit, callback, sql, text, name } = Object(statement);
  const isCallback = [...given.slice(1), callback].some((each) => typeof each === 'function');
  const isObject = typeof submit === 'function';
  const isText = [statement, sql, text, name].some((each) => typeof each === 'string');
  if (isText && !isObject && !isCallback) return;
  const what = isObject ? 'A query object or a stream' : 'A statement that is no text';
  throw new DriverError(
    'InvalidInput',
    `${isCallback ? 'A callback' : what} does not fit this tx: pass a text and values, and await the answer. ` +
      'The statement was not sent.',
  );
}
