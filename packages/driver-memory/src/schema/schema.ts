import type { Schema } from '@rowlock/core/driver';
import type { Database } from '../engine/database.js';
import type { Process } from '../engine/process.js';
import { turn } from '../engine/turn.js';

export function schemaOf(database: Database, process: Process): Schema {
  return {
    async migrate() {
      await turn();
      process.check();
      return database.migrate();
    },

    async empty() {
      await process.run((tx) => database.empty(tx));
    },

    async verify() {
      await process.run(() => database.tables);
      return { limits: [] };
    },
  };
}
