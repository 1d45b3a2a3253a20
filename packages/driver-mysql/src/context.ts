import { type Statements, statements } from './statements.js';
import { lockPrefix } from './worker/lock-name.js';

/** The database that the driver works in. */
export interface Context {
  readonly schema: string;
  readonly sql: Statements;
  /** The prefix of the workers' user locks. */
  readonly lockPrefix: string;
  /** The timeout of the driver's own statements, in milliseconds. */
  readonly answerMs: number;
}

export function context(schema: string, answerMs: number): Context {
  return { schema, sql: statements(schema), lockPrefix: lockPrefix(schema), answerMs };
}
