import { isDriverError } from '@rowlock/core';
import { despiteDeadlocks, type Schema } from '@rowlock/core/driver';
import type { SharedPool } from '@rowlock/sql-drivers';
import type { Connection, PoolConnection } from 'mysql2/promise';
import { connect, onNew } from '../connection/connect.js';
import { verifyClient } from '../connection/verify-client.js';
import { verifyRowLocks } from '../connection/verify-row-locks.js';
import type { Context } from '../context.js';
import { refuseUnread } from '../errors.js';
import type { InTransaction } from '../jobs/in-transaction.js';
import type { Settings } from '../options.js';
import { change, type MysqlTransaction } from '../query.js';
import { checkVersion, productIn } from '../server-version.js';
import { clusterWarnings, otherWriterWarnings } from './cluster.js';
import { examine } from './examine/examine.js';
import { limitsOf } from './limits.js';
import { migrate, outdated, SCHEMA_VERSION, versionIn } from './migrations.js';
import { serverValues } from './server-values.js';
import { verifySettings } from './verify-settings.js';
import { appliedTo, verifyTables } from './verify-tables.js';

export interface SchemaParts {
  readonly context: Context;
  readonly settings: Settings;
  /** For short statements. */
  readonly on: MysqlTransaction;
  readonly inTransaction: InTransaction;
  readonly pool: SharedPool<PoolConnection>;
  readonly connect: () => Promise<Connection>;
  readonly sharesSessions: () => Promise<boolean>;
}

export function schemaOf(parts: SchemaParts): Schema {
  const { context, settings, on, inTransaction, sharesSessions } = parts;
  const { schema: sql } = context.sql;
  return {
    async migrate() {
      const options = { ...settings.connecting, multipleStatements: true };
      const open = () => connect(options, context.answerMs, settings.onConnect);
      return onNew(open, (client) => migrate(client, context));
    },

    async verify(locks = true) {
      const ofClient = verifyClient();
      const values = await serverValues(on).catch(refuseUnread);
      const version = values.get('version') ?? '';
      const warnings = [...ofClient, ...checkVersion(version)];
      const { applied, isToAll } = await appliedTo(on, sql);
      const found = versionIn(applied, context.schema);
      if (found < SCHEMA_VERSION) throw outdated(found, context.schema, productIn(version));
      if (found === SCHEMA_VERSION && !isToAll) await verifyTables(on, context.schema);
      verifySettings(values, context.schema);
      // An account may be without the right to lock this row.
      const known = { lock: sql.lockMigration, id: SCHEMA_VERSION };
      if (locks)
        await onNew(parts.connect, (client) =>
          verifyRowLocks(client, inTransaction, known, context.answerMs),
        ).catch((error: unknown) => {
          if (isDriverError(error, 'EngineUnsuitable')) throw error;
        });
      const limits = await limitsOf(on, values, parts.pool.open);
      // A worker's anchor looks at the other writers, and at the locks.
      const others =
        locks && settings.severalWriters === 'refuse'
          ? await otherWriterWarnings(on, context.sql.workers.writersElsewhere)
          : [];
      return { limits, warnings: [...warnings, ...clusterWarnings(values), ...others] };
    },

    async empty() {
      await despiteDeadlocks(() =>
        inTransaction(async (tx) => {
          for (const text of sql.empty) await change(tx, text);
        }),
      );
    },

    examine: (handlerMs) => examine({ on, context, handlerMs, sharesSessions }),
  };
}
