import type { createServer as listen } from 'node:http';
import type { PrismaTransaction } from '@rowlock/adapters/prisma';
import type * as Core from '@rowlock/core';
import type {
  createRowlock as create,
  Driver,
  definePlugin as define,
  defineHandler as defineOne,
  Handler,
  Rowlock,
  defineSchedule as schedule,
  Worker,
} from '@rowlock/core';
import type { Access } from '@rowlock/dashboard';
import type {
  MemoryDatabase,
  MemoryTransaction,
  memoryDatabase as openDatabase,
  memory as openMemory,
} from '@rowlock/driver-memory';
import type { MysqlTransaction } from '@rowlock/driver-mysql';
import type { PostgresTransaction } from '@rowlock/driver-postgres';
import type { updateJson as updateColumn } from '@rowlock/rows/mysql';
import type { lockRows as lock } from '@rowlock/rows/postgres';
import type { Pool } from 'mysql2/promise';
import type { z as schemas } from 'zod';

type Transaction = PostgresTransaction | MysqlTransaction | MemoryTransaction;

interface Orders extends PrismaTransaction {
  readonly order: {
    create(order: { data: { id: number } }): Promise<unknown>;
    update(order: { where: { id: number }; data: { confirmed: boolean } }): Promise<unknown>;
  };
}

interface Prisma extends Pick<Orders, 'order'> {
  $transaction(work: (tx: Orders) => Promise<void>): Promise<void>;
}

/** Without its `tx`. */
type Locked = Parameters<typeof lock> extends [unknown, ...infer Rest] ? Rest : never;

// What a fragment of a page may use without saying where it comes from.
declare global {
  const createRowlock: typeof create;
  const defineHandler: typeof defineOne;
  const definePlugin: typeof define;
  const defineSchedule: typeof schedule;
  const z: typeof schemas;
  const driver: Driver<Transaction>;
  const rowlock: Rowlock<Transaction>;
  const worker: Worker<Transaction>;
  /** A transaction that the application has begun. */
  const tx: Transaction;
  /** Of the driver that the transaction is of. */
  const lockRows: (tx: Transaction, ...locked: Locked) => ReturnType<typeof lock>;
  /** The id of a job. */
  const publicId: string;

  const Mail: Handler<schemas.ZodObject<{ to: schemas.ZodString }>>;
  const Ship: Handler<schemas.ZodObject<{ order: schemas.ZodNumber }>>;
  const Remind: Handler<schemas.ZodObject<{ order: schemas.ZodString }>>;

  /** The captured changes of a table. */
  const orders: Core.Capture;

  /** As Prisma generates it. */
  const PrismaClient: new (options: { adapter: object }) => Prisma;

  /** The application's connections to MySQL. */
  const pool: Pool;

  const increment: typeof Core.increment;
  const append: typeof Core.append;
  const set: typeof Core.set;
  const remove: typeof Core.remove;
  const updateJson: typeof updateColumn;
  /** Copies a file, or returns false. */
  const copy: (file: string) => Promise<boolean>;

  const createServer: typeof listen;
  /** As of Next.js. */
  const after: (work: () => Promise<unknown>) => void;
  /** Whether a cookie is of an administrator. */
  const isAdmin: (cookie: string | null) => boolean;
  const access: Access;
  /** What a verified token says. Null without one. */
  const claimsOf: (
    authorization: string | null,
  ) => Promise<{ readonly email: string; readonly queues: readonly string[] } | null>;

  const memory: typeof openMemory;
  const memoryDatabase: typeof openDatabase;
  const database: MemoryDatabase;
}
