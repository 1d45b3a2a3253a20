import knexOf, { type Knex } from 'knex';
import { fromKnex, onKnex } from '../src/knex.js';
import { describeAdapter, drained, type Orm, type OwnTransaction } from './describe-adapter.js';

function orm(knex: Knex, streams: boolean): Orm {
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
        ...(streams && { stream: () => drained(on('orders').select('id').stream()) }),
        ends: {
          commit: () => on.commit(),
          rollback: () => on.rollback(),
          COMMIT: () => on.raw('COMMIT'),
        },
      };
    },
    close: () => knex.destroy(),
  };
}

describeAdapter('Knex', 'postgres', (url) => orm(knexOf({ client: 'pg', connection: url }), false));
describeAdapter('Knex', 'mysql', (url) => orm(knexOf({ client: 'mysql2', connection: url }), true));
