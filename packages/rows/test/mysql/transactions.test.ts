import type { MysqlTransaction } from '@rowlock/driver-mysql';
import { createPool, type Pool } from 'mysql2/promise';
import { openMysqlHarness } from '../../../driver-mysql/test/mysql-harness.js';
import { product, serverUrl } from '../../../driver-mysql/test/server.js';
import { nameOf } from '../../../driver-mysql/test/sessions.js';
import { lockRows, transaction } from '../../src/mysql.js';
import { describeRowLocks } from '../describe-row-locks.js';
import { describeTransactions } from '../describe-transactions.js';
import type { TransactionsUnderTest } from '../transactions-under-test.js';

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
