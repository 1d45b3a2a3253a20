import type { PostgresTransaction } from '@rowlock/driver-postgres';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { inject } from 'vitest';
import { openPostgresHarness } from '../../../driver-postgres/test/postgres-harness.js';
import { lockRows, transaction } from '../../src/postgres.js';
import { describeRowLocks } from '../describe-row-locks.js';
import { describeTransactions } from '../describe-transactions.js';
import type { TransactionsUnderTest } from '../transactions-under-test.js';

const postgres: TransactionsUnderTest<PostgresTransaction, pg.Pool> = {
  name: 'postgres',
  open: async () => openPostgresHarness(inject('postgresUrl')),
  pool(url, max) {
    const pool = new pg.Pool({ connectionString: url, max, application_name: 'plain' });
    pool.on('error', () => {});
    return pool;
  },
  end: (pool) => pool.end(),
  transaction,
  lockRows,
};

describeTransactions(postgres);
describeRowLocks(postgres);
