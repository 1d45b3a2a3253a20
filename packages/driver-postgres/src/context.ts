import { identifier } from './identifier.js';
import { type Statements, statements } from './statements.js';
import { type LockClass, lockClass } from './worker/lock-class.js';

/** What every part of the driver knows of the schema that it works in. */
export interface Context {
  readonly schema: string;
  readonly sql: Statements;
  /** Where notifications go. */
  readonly channel: string;
  readonly lockClass: LockClass;
  /** How long the server may take to answer a statement of the driver's own, in milliseconds. */
  readonly answerMs: number;
}

export function context(schema: string, answerMs: number): Context {
  const channel = `rowlock:${schema}`;
  identifier(channel);
  return { schema, channel, sql: statements(schema), lockClass: lockClass(schema), answerMs };
}
