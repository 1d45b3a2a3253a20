import knexOf, { type Knex } from 'knex';
import { fromKnex, onKnex } from '../src/knex.js';
import { describeAdapter, type Orm, type OwnTransaction } from './describe-adapter.js';

function orm(knex: Knex): Orm {
  const own = (trx: Knex.Transaction): OwnTransaction => ({
    tx: fromKnex(trx),
    insert: async (id) => trx('orders').insert({ id }),
  });
  return {
    transaction: (work) => knex.transaction((trx) => work(own(trx))),
    mistakes: {
      // @ts-expect-error a knex is no transaction
      knex: () => fromKnex(knex),
      pool: () => fromKnex(Object(knex.client.pool)),
    },
    async on(tx) {
      const on = await onKnex(tx, knex);
      return {
        insert: async (id) => on('orders').insert({ id }),
        count: async () => (await on('orders').select('id')).length,
        nested: (work) => on.transaction((trx) => work(own(trx))),
      };
    },
    close: () => knex.destroy(),
  };
}

describeAdapter('Knex', 'postgres', (url) => orm(knexOf({ client: 'pg', connection: url })));
describeAdapter('Knex', 'mysql', (url) => orm(knexOf({ client: 'mysql2', connection: url })));
