import '@rowlock/servers/vitest';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { OutsidePool } from '../src/connection/outside-pool.js';
import { sharesSessions } from '../src/connection/shared-sessions.js';

test('a session that ends while it is compared is no reason to end the process', async () => {
  const name = 'compared with';
  const connectionString = inject('postgresUrl');
  const pool = new pg.Pool({ connectionString, application_name: name });
  pool.on('error', () => {});
  // Whoever asks for its number ends the other one, which waits in its transaction.
  const backend = `
    SELECT pg_backend_pid() AS pid, count(pg_terminate_backend(pid))
    FROM pg_stat_activity WHERE application_name = '${name}' AND state = 'idle in transaction'`;
  const shares = await new OutsidePool(pool).with((client) => sharesSessions(client, pool, { backend }));
  expect(shares).toBe(false);
  await pool.end();
});
