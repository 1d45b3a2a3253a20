import type * as Core from '@rowlock/core';
import type { createRowlock as create, Driver, Handler, Rowlock, Worker } from '@rowlock/core';
import type {
  MemoryDatabase,
  MemoryTransaction,
  memoryDatabase as openDatabase,
  memory as openMemory,
} from '@rowlock/driver-memory';
import type { MysqlTransaction, updateJson as updateColumn } from '@rowlock/driver-mysql';
import type { PostgresTransaction } from '@rowlock/driver-postgres';
import type { Pool } from 'mysql2/promise';
import type { z } from 'zod';

type Transaction = PostgresTransaction | MysqlTransaction | MemoryTransaction;

// What a fragment of a page may use without saying where it comes from.
declare global {
  const createRowlock: typeof create;
  const driver: Driver<Transaction>;
  const rowlock: Rowlock<Transaction>;
  const worker: Worker<Transaction>;
  /** A transaction that the application has begun. */
  const tx: Transaction;
  /** The id of a job. */
  const publicId: string;

  const Mail: Handler<z.ZodObject<{ to: z.ZodString }>>;
  const Ship: Handler<z.ZodObject<{ order: z.ZodNumber }>>;
  const Remind: Handler<z.ZodObject<{ order: z.ZodString }>>;

  /** The application's connections to MySQL. */
  const pool: Pool;

  const increment: typeof Core.increment;
  const append: typeof Core.append;
  const set: typeof Core.set;
  const remove: typeof Core.remove;
  const updateJson: typeof updateColumn;
  /** Copies a file, or returns false. */
  const copy: (file: string) => Promise<boolean>;

  const memory: typeof openMemory;
  const memoryDatabase: typeof openDatabase;
  const database: MemoryDatabase;
}
