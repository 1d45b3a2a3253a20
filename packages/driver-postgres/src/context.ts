import { identifier } from './identifier.js';
import { type Statements, statements } from './statements.js';
import { type LockClass, lockClass } from './workers/lock-class.js';

/** The facts about the schema that the driver's parts share. */
export interface Context {
  readonly schema: string;
  readonly sql: Statements;
  /** The channel of notifications. */
  readonly channel: string;
  readonly lockClass: LockClass;
  /** The timeout of the driver's own statements, in milliseconds. */
  readonly answerMs: number;
}

export function context(schema: string, answerMs: number): Context {
  const channel = `rowlock:${schema}`;
  identifier(channel);
  return { schema, channel, sql: statements(schema), lockClass: lockClass(schema), answerMs };
}
