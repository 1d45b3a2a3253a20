import { onDrizzle } from '@rowlock/adapters/drizzle';
import type { PostgresTransaction } from '@rowlock/driver-postgres';
import { and, eq, ne } from 'drizzle-orm';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { integer, pgTable, serial, varchar } from 'drizzle-orm/pg-core';

export const orders = pgTable('orders', {
  id: serial().primaryKey(),
  tenant: varchar().notNull(),
  customer: varchar().notNull(),
  product: varchar().notNull(),
  state: varchar({ enum: ['new', 'reserved', 'confirmed', 'billed', 'failed'] }).notNull(),
});

export const stock = pgTable('stock', { product: varchar().primaryKey(), pieces: integer().notNull() });

/** A run's transaction, which settles its job. */
export const inRun = (tx: PostgresTransaction) => onDrizzle(tx, (client) => drizzle({ client }));

export const countOpen = (db: Pick<NodePgDatabase, '$count'>, customer: string) =>
  db.$count(orders, and(eq(orders.customer, customer), ne(orders.state, 'billed')));
