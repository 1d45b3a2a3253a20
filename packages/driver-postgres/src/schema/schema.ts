import { isDriverError } from '@rowlock/core';
import { despiteDeadlocks, type Schema } from '@rowlock/core/driver';
import type { AppliedMigration, SharedPool } from '@rowlock/sql-drivers';
import type { PoolClient } from 'pg';
import type { OutsidePool } from '../connection/outside-pool.js';
import type { Server } from '../connection/server.js';
import { verifyRowLocks } from '../connection/verify-row-locks.js';
import type { Context } from '../context.js';
import { type PostgresTransaction, query } from '../query.js';
import { examine } from './examine/examine.js';
import { limitsOf } from './limits.js';
import { migrate, outdated, SCHEMA_VERSION, versionIn } from './migrations.js';
import { tables } from './tables.js';
import { verifyRows } from './verify-rows.js';
import { verifySettings } from './verify-settings.js';
import { missingTables, refuseMissing } from './verify-tables.js';

export interface SchemaParts {
  readonly context: Context;
  /** For short statements. */
  readonly on: PostgresTransaction;
  readonly outside: OutsidePool;
  readonly pool: SharedPool<PoolClient>;
  /** Warnings of the client that is installed. @throws DriverError for a version that is too old */
  verifyClient(): readonly string[];
  readonly server: (on: PostgresTransaction) => Promise<Server>;
  readonly sharesSessions: () => Promise<boolean>;
  /** Works on one connection of the pool. */
  together<Answer>(work: (on: PostgresTransaction) => Promise<Answer>): Promise<Answer>;
  withoutTimeout<Answer>(work: (client: PoolClient) => Promise<Answer>): Promise<Answer>;
}

export function schemaOf(parts: SchemaParts): Schema {
  const { context, on, outside, sharesSessions } = parts;
  const { schema: sql } = context.sql;
  return {
    migrate: () => parts.withoutTimeout((client) => migrate(client, context)),

    async verify(locks = true) {
      const ofClient = parts.verifyClient();
      // Sent together, in the order of what matters first. The rows of the migrations may be hidden too.
      const [, applied, missing, ofServer, limits] = await parts.together((one) =>
        Promise.all([
          verifyRows(one, tables(context.schema)),
          query<AppliedMigration>(one, sql.applied).catch((error: unknown) => {
            if (isDriverError(error, 'SchemaOutdated')) return [];
            throw error;
          }),
          missingTables(one, context.schema),
          verifySettings(one),
          limitsOf(one, parts.pool.open),
          // The first claim is not to wait for this.
          parts.server(one),
        ]),
      );
      const found = versionIn(applied, context.schema);
      if (found < SCHEMA_VERSION) throw outdated(found, context.schema);
      if (found === SCHEMA_VERSION) refuseMissing(missing, context.schema);
      const warnings = [...ofClient, ...ofServer];
      if (!locks) return { limits, warnings };
      // A role may be without the right to lock this row.
      const known = { lock: sql.lockMigration, id: SCHEMA_VERSION };
      await outside
        .with((client) => verifyRowLocks(client, on, known, context.answerMs))
        .catch((error: unknown) => {
          if (isDriverError(error, 'EngineUnsuitable')) throw error;
        });
      return { limits, warnings };
    },

    async empty() {
      await despiteDeadlocks(() => query(on, sql.empty));
    },

    examine: (handlerMs) => examine({ on, context, handlerMs, sharesSessions }),
  };
}
