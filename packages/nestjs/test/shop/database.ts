import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type Generated, Kysely, MysqlDialect } from 'kysely';
import { createPool } from 'mysql2';

export interface Tables {
  readonly orders: {
    readonly id: Generated<number>;
    readonly customer: string;
    readonly state: string;
    readonly billed: Generated<number>;
  };
}

@Injectable()
export class ShopDatabase extends Kysely<Tables> implements OnModuleDestroy {
  constructor(url: string) {
    super({ dialect: new MysqlDialect({ pool: createPool(url) }) });
  }

  async createTables(): Promise<void> {
    await this.schema
      .createTable('orders')
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('customer', 'varchar(64)', (column) => column.notNull())
      .addColumn('state', 'varchar(16)', (column) => column.notNull())
      .addColumn('billed', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  }

  async onModuleDestroy(): Promise<void> {
    await this.destroy();
  }
}
