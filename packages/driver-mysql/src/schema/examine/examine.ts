import { examined, type Finding } from '@rowlock/core/driver';
import type { Context } from '../../context.js';
import type { MysqlTransaction } from '../../query.js';
import { tables } from '../tables.js';
import { additions } from './additions.js';
import { drift } from './drift.js';
import { durability } from './durability.js';
import { engine } from './engine.js';
import { invisible } from './invisible.js';
import { metadataLocks } from './metadata-locks.js';
import { pooler } from './pooler.js';
import { retention } from './retention.js';
import { rights } from './rights.js';
import { sequences } from './sequences.js';
import { settings } from './settings.js';
import { history, oldTransactions } from './transactions.js';

/** What the checks look at. */
export interface Examined {
  readonly on: MysqlTransaction;
  readonly context: Context;
  /** The longest timeout of handlers, in milliseconds. */
  readonly handlerMs: number;
  readonly sharesSessions: () => Promise<boolean>;
}

/** Looks for what is wrong with this database. While a table is locked that is found alone: what reads the table would wait. */
export async function examine(parts: Examined): Promise<readonly Finding[]> {
  const { on, context, handlerMs, sharesSessions } = parts;
  const { schema } = context;
  const named = tables(schema);
  const locks = await examined({ locks: () => metadataLocks(on, context) });
  if (locks.some(({ severity }) => severity === 'broken')) return locks;
  const found = await examined({
    schema: async () => [...(await drift(on, schema)), ...(await invisible(on, context))],
    additions: () => additions(on, schema),
    engine: () => engine(on, schema),
    durability: () => durability(on),
    rights: () => rights(on, named),
    retention: () => retention(on, schema, named),
    transactions: () => oldTransactions(on),
    bloat: () => history(on),
    settings: () => settings(on, handlerMs),
    pooler: () => pooler(sharesSessions),
    ids: () => sequences(on, schema),
  });
  return [...locks, ...found];
}
