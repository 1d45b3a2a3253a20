import '@rowlock/servers/vitest';
import pg from 'pg';
import { expect, inject, test, vi } from 'vitest';
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

/** How often two connections were compared by an open transaction, as those are that may come by a pooler. */
async function comparisons(backend: string): Promise<number> {
  const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
  const begun: unknown[] = [];
  pool.on('connect', (client) => {
    const query = client.query.bind(client);
    vi.spyOn(client, 'query').mockImplementation((...sent: readonly unknown[]) => {
      if (sent[0] === 'BEGIN') begun.push(sent);
      return Reflect.apply(query, client, sent);
    });
  });
  expect(await new OutsidePool(pool).with((client) => sharesSessions(client, pool, { backend }))).toBe(false);
  await pool.end();
  return begun.length;
}

test('direct connections are known by their numbers and their ports, and those of a NAT are compared once', async () => {
  expect(await comparisons('SELECT pg_backend_pid() AS pid, inet_client_port() AS port')).toBe(0);
  expect(await comparisons('SELECT pg_backend_pid() AS pid, inet_client_port() + 1 AS port')).toBe(1);
  expect(await comparisons('SELECT pg_backend_pid() AS pid, NULL::int AS port')).toBe(1);
  expect(await comparisons('SELECT pg_backend_pid() + 1 AS pid, inet_client_port() AS port')).toBe(3);
});
