import { examined, type Finding } from '@rowlock/core/driver';
import type { Context } from '../../context.js';
import type { PostgresTransaction } from '../../query.js';
import { tables } from '../tables.js';
import { additions } from './additions.js';
import { autovacuum } from './autovacuum.js';
import { bloat } from './bloat.js';
import { drift } from './drift.js';
import { durability } from './durability.js';
import { pooler } from './pooler.js';
import { replicaIdentity } from './replica-identity.js';
import { retention } from './retention.js';
import { rights } from './rights.js';
import { sequences } from './sequences.js';
import { settings } from './settings.js';
import { tableLocks } from './table-locks.js';
import { oldTransactions } from './transactions.js';
import { wraparound } from './wraparound.js';

/** What the checks look at. */
export interface Examined {
  readonly on: PostgresTransaction;
  readonly context: Context;
  /** The longest timeout of handlers, in milliseconds. */
  readonly handlerMs: number;
  readonly sharesSessions: () => Promise<boolean>;
}

/** Looks for what is wrong with this database. While a table is locked that is found alone: what reads the table would wait. */
export async function examine(parts: Examined): Promise<readonly Finding[]> {
  const { on, context, handlerMs, sharesSessions } = parts;
  const named = tables(context.schema);
  const locks = await examined({ locks: () => tableLocks(on, named) });
  if (locks.some(({ severity }) => severity === 'broken')) return locks;
  const found = await examined({
    schema: () => drift(on, context.schema),
    additions: () => additions(on, named),
    publications: () => replicaIdentity(on, named),
    durability: () => durability(on, named),
    rights: () => rights(on, context.schema),
    retention: () => retention(on, named),
    transactions: () => oldTransactions(on),
    bloat: () => bloat(on, context.schema),
    settings: () => settings(on, handlerMs),
    pooler: () => pooler(sharesSessions),
    ids: () => sequences(on, named),
    autovacuum: () => autovacuum(on, context.schema),
    wraparound: () => wraparound(on),
  });
  return [...locks, ...found];
}
