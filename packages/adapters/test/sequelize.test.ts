import { DataTypes, Sequelize } from 'sequelize';
import { fromSequelize } from '../src/sequelize.js';
import { describeAdapter, type Orm } from './describe-adapter.js';

function orm(sequelize: Sequelize): Orm {
  const Order = sequelize.define(
    'orders',
    { id: { type: DataTypes.INTEGER, primaryKey: true } },
    { timestamps: false },
  );
  return {
    transaction: (work) =>
      sequelize.transaction((transaction) =>
        work({
          tx: fromSequelize(transaction, sequelize),
          insert: (id) => Order.create({ id }, { transaction }),
        }),
      ),
    mistakes: {
      sequelize: () => fromSequelize(Object(sequelize), sequelize),
      'no transaction': () => fromSequelize(Object(undefined), sequelize),
      'no sequelize': () => fromSequelize(Object({ commit() {}, rollback() {} }), Object(undefined)),
    },
    close: () => sequelize.close(),
  };
}

describeAdapter('Sequelize', 'postgres', (url) => orm(new Sequelize(url, { logging: false })));
describeAdapter('Sequelize', 'mysql', (url) => orm(new Sequelize(url, { logging: false })));
