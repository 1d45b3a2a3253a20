import { DriverError } from '@rowlock/core';
import type { AdaptedTransaction } from '@rowlock/core/driver';
import { adapted, type Database, noneOf, type Value } from './adapted.js';
import { clientOf } from './client.js';
import type { Handle } from './handle.js';
import { PostgresClient } from './postgres-client.js';
import { returnsRows } from './returns-rows.js';

/** The client of an interactive transaction. A `PrismaClient` has `$connect` too. */
export interface PrismaTransaction {
  readonly $connect?: never;
  $queryRawUnsafe<Rows = unknown>(query: string, ...values: unknown[]): PromiseLike<Rows>;
  $executeRawUnsafe(query: string, ...values: unknown[]): PromiseLike<number>;
}

/** `PrismaPg`, of `@prisma/adapter-pg`. */
export interface PrismaPgFactory {
  readonly provider: 'postgres';
  connect(): Promise<{ underlyingDriver(): object }>;
}

const INSERTS = /^\s*insert\b/i;

/** Prisma refuses each statement after the transaction's end, and gives no status. It prepares all, which MySQL allows for no savepoint. */
const IN_TRANSACTION = 1;

/** Prisma's code for a transaction that is over. */
const OVER = 'P2028';

/**
 * An interactive transaction of Prisma 7's, for the calls of Rowlock that take a `tx`.
 *
 * @throws InvalidInputError for anything else, as the client itself
 *
 * @example
 * await prisma.$transaction(async (tx) => {
 *   await tx.order.create({ data: { id: 7 } });
 *   await rowlock.enqueue(Confirm, { payload: { order: 7 } }, { tx: fromPrisma(tx) });
 * });
 */
export function fromPrisma(tx: PrismaTransaction): AdaptedTransaction {
  if (typeof Object(tx).$queryRawUnsafe !== 'function' || Object(tx).$connect !== undefined)
    throw noneOf('fromPrisma', 'the tx of prisma.$transaction(async (tx) => …), and not the client itself');
  let own: Promise<Database> | undefined;
  return adapted(
    tx,
    { name: 'fromPrisma' },
    async (text, values, database) => {
      try {
        own ??= databaseOf(tx);
        const named = await own;
        if (named !== database)
          throw new DriverError(
            'InvalidInput',
            `'tx', of fromPrisma(), is a transaction of ${named}, and this Rowlock's driver is ${database}.`,
          );
        return await send(tx, named, text, values);
      } catch (error) {
        throw serversError(error);
      }
    },
    (error) => Object(error).code === OVER,
  );
}

async function databaseOf(tx: PrismaTransaction): Promise<Database> {
  const [row] = await tx.$queryRawUnsafe<readonly object[]>('SELECT version() AS version');
  return String(Object(row).version).startsWith('PostgreSQL') ? 'postgres' : 'mysql';
}

async function send(
  tx: PrismaTransaction,
  database: Database,
  text: string,
  values: readonly Value[],
): Promise<unknown> {
  if (database === 'postgres' || returnsRows(text))
    return { rows: await tx.$queryRawUnsafe(text, ...values) };
  const affectedRows = await tx.$executeRawUnsafe(text, ...values);
  const answer = { affectedRows, insertId: 0, serverStatus: IN_TRANSACTION };
  if (!INSERTS.test(text)) return answer;
  const [row] = await tx.$queryRawUnsafe<readonly object[]>('SELECT LAST_INSERT_ID() AS id');
  return { ...answer, insertId: Object(row).id };
}

/** Prisma keeps the server's code in its own error. */
function serversError(error: unknown): unknown {
  const { originalCode, originalMessage } = Object(Object(error).meta?.driverAdapterError).cause ?? {};
  if (originalCode === undefined) return error;
  const known = new Error(String(originalMessage), { cause: error });
  return Object.assign(known, { code: String(originalCode), errno: Number(originalCode) });
}

/**
 * The transaction of a handler as a client of Prisma's, on Postgres. Its `$transaction()` is a savepoint.
 *
 * @param factory A `new PrismaPg({})` of its own. It opens no connection.
 * @param make Makes the client with the adapter.
 * @throws InvalidInputError for anything but a handler's `tx` on Postgres
 *
 * @example
 * const prisma = onPrisma(tx, new PrismaPg({}), (adapter) => new PrismaClient({ adapter }));
 */
export function onPrisma<Factory extends PrismaPgFactory, Client>(
  tx: Handle,
  factory: Factory,
  make: (adapter: Factory) => Client,
): Client {
  const client = clientOf('onPrisma', tx);
  if (!(client instanceof PostgresClient))
    throw noneOf(
      'onPrisma',
      "the `tx` of a handler on Postgres: on MySQL Prisma's adapter has a client of its own",
    );
  const pool = {
    query: (statement: unknown, values?: unknown) => client.query(statement, values),
    connect: async () => client,
  };
  const adapter: Factory = Object.create(factory, {
    connect: {
      async value() {
        const made = await factory.connect();
        Object.assign(made.underlyingDriver(), pool);
        return made;
      },
    },
  });
  return make(adapter);
}
