import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { onKysely } from '@rowlock/adapters/kysely';
import type { MysqlTransaction } from '@rowlock/driver-mysql';
import { type Generated, Kysely, MysqlDialect } from 'kysely';
import { createPool } from 'mysql2';

interface Tables {
  orders: {
    id: Generated<number>;
    tenant: string;
    customer: string;
    product: string;
    state: 'new' | 'reserved' | 'confirmed' | 'billed' | 'failed';
  };
  stock: { product: string; pieces: number };
}

@Injectable()
export class Database extends Kysely<Tables> implements OnApplicationShutdown {
  constructor(uri: string) {
    super({ dialect: new MysqlDialect({ pool: createPool(uri) }) });
  }

  async onApplicationShutdown() {
    await this.destroy();
  }
}

/** A run's transaction, which settles its job. */
export const inRun = (tx: MysqlTransaction) => onKysely<Tables>(tx);

export async function countOpen(db: Pick<Kysely<Tables>, 'selectFrom'>, customer: string) {
  const open = db.selectFrom('orders').where('customer', '=', customer).where('state', '!=', 'billed');
  const { count } = await open
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
