import '@rowlock/servers/vitest';
import {
  describeRowLocks,
  describeTransactions,
  type TransactionsUnderTest,
} from '@rowlock/driver-conformance';
import pg from 'pg';
import { inject } from 'vitest';
import { lockRows, type PostgresTransaction, transaction } from '../src/index.js';
import { openPostgresHarness } from './postgres-harness.js';

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
