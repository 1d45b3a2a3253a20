import type { createRowlock as create, Driver, Handler, Rowlock, Worker } from '@rowlock/core';
import type { PostgresTransaction } from '@rowlock/driver-postgres';
import type { z } from 'zod';

// What a fragment of a page may use without saying where it comes from.
declare global {
  const createRowlock: typeof create;
  const driver: Driver<PostgresTransaction>;
  const rowlock: Rowlock<PostgresTransaction>;
  const worker: Worker<PostgresTransaction>;
  /** A transaction that the application has begun. */
  const tx: PostgresTransaction;
  /** A handler that mails to somebody. */
  const Mail: Handler<z.ZodObject<{ to: z.ZodString }>>;
  /** The id of a job. */
  const publicId: string;
}
