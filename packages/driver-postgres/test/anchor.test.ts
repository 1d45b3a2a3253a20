import { Socket } from 'node:net';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { expect, inject, test, vi } from 'vitest';
import { postgres } from '../src/index.js';

/** The worker's lock: there is no other advisory lock in the database. */
const HOLDER = `FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

test("a session that comes back while the worker's lock is still held has it as soon as it is free", async () => {
  const fresh = await freshDatabase(inject('postgresUrl'));
  let connections = 0;
  const stream = (): Socket => {
    connections += 1;
    return new Socket();
  };
  const driver = postgres({ connectionString: fresh.url, stream });
  const [reader, other] = [new pg.Client(fresh.url), new pg.Client(fresh.url)];
  const eventually = (what: () => Promise<void>) => vi.waitFor(what, 60_000);
  try {
    await Promise.all([reader.connect(), other.connect()]);
    await driver.schema.migrate();
    const anchor = await driver.workers.anchor({ name: 'w', host: 'h', pid: 1, queues: [] });
    const { rows } = await reader.query(
      `SELECT classid::bigint::bit(32)::int AS class, objid AS id ${HOLDER}`,
    );
    const lock = [rows[0]?.class, rows[0]?.id];

    // In the place of a session that the server has not seen end: next in line for its lock.
    const taken = other.query('SELECT pg_advisory_lock($1, $2)', lock);
    await eventually(async () => {
      expect((await reader.query(`SELECT 1 ${HOLDER} AND NOT granted`)).rows).toHaveLength(1);
    });
    await reader.query(`SELECT pg_terminate_backend(pid) ${HOLDER} AND granted`);
    await taken;
    const before = connections;
    await eventually(async () => expect(connections).toBeGreaterThanOrEqual(before + 2));

    await other.query('SELECT pg_advisory_unlock($1, $2)', lock);
    await eventually(async () => {
      expect((await driver.workers.list()).map(({ alive }) => alive)).toEqual([true]);
    });
    await anchor.release();
  } finally {
    await driver.close();
    await reader.end();
    await other.end();
    await fresh.drop();
  }
});
