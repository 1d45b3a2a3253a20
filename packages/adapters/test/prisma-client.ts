import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { PrismaTransaction } from '../src/prisma.js';

const FOLDER = fileURLToPath(new URL('../', import.meta.url));

interface Orders {
  readonly order: {
    create(order: { data: { id: number } }): PromiseLike<unknown>;
    count(): PromiseLike<number>;
  };
}

export type OrdersTransaction = PrismaTransaction & Orders;

export interface OrdersClient extends Orders {
  $connect(): Promise<void>;
  $disconnect(): Promise<void>;
  $transaction<Result>(
    work: (tx: OrdersTransaction) => Promise<Result>,
    options: { readonly timeout: number; readonly maxWait: number; readonly isolationLevel?: 'Serializable' },
  ): Promise<Result>;
}

export type OrdersClientClass = new (options: { readonly adapter: unknown }) => OrdersClient;

/** Generates a client of one table. */
export async function generateClient(
  provider: 'postgresql' | 'mysql',
): Promise<{ readonly Client: OrdersClientClass; remove(): Promise<void> }> {
  // Below this package: here the client's imports are found.
  const folder = await mkdtemp(join(FOLDER, '.prisma-'));
  const schema = join(folder, 'schema.prisma');
  await writeFile(
    schema,
    `generator client {
      provider = "prisma-client"
      output   = "./client"
    }
    datasource db {
      provider = "${provider}"
    }
    model Order {
      id Int @id
      @@map("orders")
    }`,
  );
  const cli = createRequire(import.meta.url).resolve('prisma/build/index.js');
  await promisify(execFile)(process.execPath, [cli, 'generate', '--schema', schema, '--no-hints'], {
    cwd: FOLDER,
    // Generating needs no engine, and looks for one. The command would fetch it.
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' },
  });
  const { PrismaClient } = await import(/* @vite-ignore */ join(folder, 'client/client.ts'));
  return { Client: PrismaClient, remove: () => rm(folder, { recursive: true }) };
}
