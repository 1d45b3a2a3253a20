import type { NamedStatements } from '../connection/named-statements.js';
import type { Server } from '../connection/server.js';
import type { SessionSettings } from '../connection/session-settings.js';
import type { Context } from '../context.js';
import type { PostgresTransaction } from '../query.js';

/** What a claim's transaction needs of the driver. */
export interface ClaimParts {
  readonly context: Context;
  readonly names: NamedStatements;
  readonly settings: SessionSettings;
  /** For statements beside the transaction. */
  readonly pool: PostgresTransaction;
  readonly server: Server;
  /** How long the server lets the transaction idle, in milliseconds. */
  readonly limitMs: number;
}
