import type { NamedStatements } from '../connection/named-statements.js';
import type { Server } from '../connection/server.js';
import type { SessionSettings } from '../connection/session-settings.js';
import type { Context } from '../context.js';
import type { PostgresTransaction } from '../query.js';
import type { CountedLimits } from './counted-limits.js';

/** The parts of the driver that a claim's transaction uses. */
export interface ClaimParts {
  readonly context: Context;
  readonly names: NamedStatements;
  readonly settings: SessionSettings;
  /** For statements beside the transaction. */
  readonly pool: PostgresTransaction;
  readonly server: Server;
  readonly counted: CountedLimits;
  /** The idle limit that the server sets on the transaction, in milliseconds. */
  readonly limitMs: number;
}
