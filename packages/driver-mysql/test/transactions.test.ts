import {
  describeRowLocks,
  describeTransactions,
  type TransactionsUnderTest,
} from '@rowlock/driver-conformance';
import { createPool, type Pool } from 'mysql2/promise';
import { lockRows, type MysqlTransaction, transaction } from '../src/index.js';
import { openMysqlHarness } from './mysql-harness.js';
import { product, serverUrl } from './server.js';
import { nameOf } from './sessions.js';

const mysql: TransactionsUnderTest<MysqlTransaction, Pool> = {
  name: product,
  open: async () => openMysqlHarness(serverUrl, product),
  pool: (uri, connectionLimit) =>
    createPool({
      uri,
      connectionLimit,
      connectAttributes: nameOf(new URL(uri).pathname.slice(1), 'plain'),
    }),
  end: (pool) => pool.end(),
  transaction,
  lockRows,
};

describeTransactions(mysql);
describeRowLocks(mysql);
