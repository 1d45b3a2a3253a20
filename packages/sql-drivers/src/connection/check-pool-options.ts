import { InvalidInputError } from '@rowlock/core';
import { shown } from '@rowlock/core/driver';

/** The options of connections that all drivers of SQL databases have. */
interface PoolOptions {
  readonly maxConnections: number;
  readonly sessions: string;
  /** The `answerTimeout`, in milliseconds. */
  readonly answerMs: number;
}

/** The least timeout, in milliseconds. Below it a healthy server would count as lost. */
const LEAST_ANSWER_MS = 100;

/** The longest timeout, a day. A timer takes at most 24 days. */
const MOST_ANSWER_MS = 86_400_000;

const SESSIONS: readonly string[] = ['auto', 'own', 'shared'];

/** Refuses values of other types, which JavaScript or an environment variable can pass. @throws InvalidInputError */
export function checkPoolOptions({ maxConnections, sessions, answerMs }: PoolOptions): void {
  if (answerMs < LEAST_ANSWER_MS || answerMs > MOST_ANSWER_MS)
    throw new InvalidInputError(
      `'answerTimeout' must be ${LEAST_ANSWER_MS} ms to 24 h, and is ${answerMs} ms.`,
    );
  if (!Number.isInteger(maxConnections) || maxConnections < 1)
    throw new InvalidInputError(
      `'maxConnections' must be a whole number from 1 on, and is ${shown(maxConnections)}.`,
    );
  checkOneOf('sessions', sessions, SESSIONS);
}

/** @throws InvalidInputError unless the option is one of these */
export function checkOneOf(name: string, value: string, values: readonly string[]): void {
  if (!values.includes(value))
    throw new InvalidInputError(`'${name}' must be one of ${values.join(', ')}, and is ${shown(value)}.`);
}
