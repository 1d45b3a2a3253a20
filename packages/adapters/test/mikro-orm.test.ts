import { defineEntity, type EntityManager, p } from '@mikro-orm/core';
import { MikroORM as MysqlORM } from '@mikro-orm/mysql';
import { MikroORM as PostgresORM } from '@mikro-orm/postgresql';
import { fromMikroORM, onMikroORM } from '../src/mikro-orm.js';
import { describeAdapter, drained, type Orm, type OwnTransaction } from './describe-adapter.js';

const Order = defineEntity({ name: 'Order', tableName: 'orders', properties: { id: p.integer().primary() } });

function orm(mikro: { readonly em: EntityManager; close(): Promise<void> }): Orm {
  const insert = (em: EntityManager) => (id: number) => em.insert(Order, { id });
  const own = (em: EntityManager): OwnTransaction => ({ tx: fromMikroORM(em), insert: insert(em) });
  return {
    transaction: (work) => mikro.em.fork().transactional((em) => work(own(em))),
    mistakes: {
      'an entity manager without a transaction': () => fromMikroORM(mikro.em),
      'a fork of it': () => fromMikroORM(mikro.em.fork()),
      orm: () => fromMikroORM(Object(mikro)),
    },
    async on(tx) {
      const em = await onMikroORM(tx, mikro.em);
      return {
        insert: insert(em),
        count: () => em.count(Order),
        nested: (work) =>
          em.transactional(async (inner) => {
            await inner.transactional((innermost) => work(own(innermost)));
          }),
        stream: () => drained(em.stream(Order)),
        ends: { begin: () => em.begin(), commit: () => em.commit(), rollback: () => em.rollback() },
      };
    },
    close: () => mikro.close(),
  };
}

describeAdapter('MikroORM', 'postgres', async (clientUrl) =>
  orm(await PostgresORM.init({ clientUrl, entities: [Order] })),
);
describeAdapter('MikroORM', 'mysql', async (clientUrl) =>
  orm(await MysqlORM.init({ clientUrl, entities: [Order] })),
);
