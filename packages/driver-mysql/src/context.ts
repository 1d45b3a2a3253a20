import type { Connection } from 'mysql2/promise';
import { lockPrefix } from './worker/lock-name.js';
import { type Statements, statements } from './statements/statements.js';

/** Opens a connection of its own, outside the pool. */
export type Connect = () => Promise<Connection>;

/** What every part of the driver knows of the database that it works in. */
export interface Context {
  readonly schema: string;
  readonly sql: Statements;
  /** What the names of the workers' user locks begin with. */
  readonly lockPrefix: string;
  /** How long the server may take to answer a statement of the driver's own, in milliseconds. */
  readonly answerMs: number;
}

export function context(schema: string, answerMs: number): Context {
  return { schema, sql: statements(schema), lockPrefix: lockPrefix(schema), answerMs };
}
