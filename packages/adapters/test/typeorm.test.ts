import { DataSource, type EntityManager, EntitySchema } from 'typeorm';
import { fromTypeORM, onTypeORM } from '../src/typeorm.js';
import { describeAdapter, drained, type Orm, type OwnTransaction } from './describe-adapter.js';

const Order = new EntitySchema<{ id: number }>({
  name: 'orders',
  columns: { id: { type: 'int', primary: true } },
});

async function orm(type: 'postgres' | 'mysql', url: string): Promise<Orm> {
  const dataSource = await new DataSource({ type, url, entities: [Order] }).initialize();
  const insert = (manager: EntityManager) => (id: number) => manager.insert(Order, { id });
  const own = (manager: EntityManager): OwnTransaction => ({
    tx: fromTypeORM(manager),
    insert: insert(manager),
  });
  const idle = dataSource.createQueryRunner();
  return {
    transaction: (work) => dataSource.transaction((manager) => work(own(manager))),
    mistakes: {
      'the manager of a data source': () => fromTypeORM(dataSource.manager),
      'a query runner without a transaction': () => fromTypeORM(idle),
      'a data source': () => fromTypeORM(Object(dataSource)),
      'a query runner for a handler': () => onTypeORM(Object(idle), dataSource),
    },
    on(tx) {
      const manager = onTypeORM(tx, dataSource);
      return {
        insert: insert(manager),
        count: () => manager.count(Order),
        nested: (work) =>
          manager.transaction(async (inner) => {
            await inner.transaction((innermost) => work(own(innermost)));
          }),
        serializable: (work) => manager.transaction('SERIALIZABLE', (inner) => work(own(inner))),
        ...(type === 'mysql' && {
          stream: async () => drained(await manager.createQueryBuilder(Order, 'order').stream()),
        }),
        ends: { COMMIT: () => manager.query('COMMIT'), ROLLBACK: () => manager.query('ROLLBACK') },
      };
    },
    close: () => dataSource.destroy(),
  };
}

describeAdapter('TypeORM', 'postgres', (url) => orm('postgres', url));
describeAdapter('TypeORM', 'mysql', (url) => orm('mysql', url));
