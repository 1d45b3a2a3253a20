import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { mysql } from '../src/index.js';
import { serverUrl } from './server.js';

const WAITING = 20_000;

/** A database with many jobs that wait, of which a few have runs of a live worker, and how many rows a call reads in it. */
async function backlog() {
  const fresh = await freshMysqlDatabase(serverUrl);
  onTestFinished(() => fresh.drop());
  const driver = mysql({ uri: fresh.url });
  onTestFinished(() => driver.close());
  await driver.migrate();
  const connection = await createConnection(fresh.url);
  onTestFinished(() => connection.end());
  const digits = '(SELECT 0 AS n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4)';
  const many = Array.from({ length: 8 }, (_, place) => `${digits} AS digit${place}`).join(', ');
  for (const statement of [
    `INSERT INTO rowlock_worker (id, name, host, pid, queues, alive_until)
     VALUES (1, 'w', 'h', 1, '["q"]', UTC_TIMESTAMP(6) + INTERVAL 1 HOUR)`,
    `INSERT INTO rowlock_job (queue, kind, public_id, payload) SELECT 'q', 'k', UUID(), '1' FROM ${many} LIMIT ${WAITING}`,
    `INSERT INTO rowlock_run (process_id, job_id, worker_id) SELECT UUID(), id, 1 FROM rowlock_job ORDER BY id LIMIT 10`,
    `INSERT INTO rowlock_open_run (process_id, worker_id, first_id, last_id, job_ids)
     SELECT UUID(), 1, MIN(id), MAX(id), JSON_ARRAYAGG(id) FROM (SELECT id FROM rowlock_job ORDER BY id LIMIT 10 OFFSET 10) AS some`,
    'ANALYZE TABLE rowlock_job, rowlock_run, rowlock_open_run',
  ])
    await connection.query(statement);
  const reads = async (): Promise<number> => {
    const [rows] = await connection.query<RowDataPacket[]>("SHOW SESSION STATUS LIKE 'Handler_read%'");
    return rows.reduce((sum, row) => sum + Number(row.Value), 0);
  };
  await connection.beginTransaction();
  const store = driver.join(connection);
  return {
    store,
    connection,
    async readBy<Answer>(call: () => Promise<Answer>): Promise<{ answer: Answer; rows: number }> {
      await call();
      const before = await reads();
      const answer = await call();
      return { answer, rows: (await reads()) - before };
    },
  };
}

test('a page of a list, and what runs, are read without the jobs that wait', async () => {
  const { store, connection, readBy } = await backlog();
  const page = { limit: 50, before: null };
  for (const [status, jobs] of [
    [undefined, 50],
    ['new', 50],
    ['in-progress', 20],
  ] as const) {
    const { answer, rows } = await readBy(() => store.list(status === undefined ? {} : { status }, page));
    expect(answer.jobs).toHaveLength(jobs);
    expect(rows, String(status)).toBeLessThan(2_000);
  }
  const { answer, rows } = await readBy(() => store.count({ queue: 'q' }));
  expect(answer).toMatchObject({ new: WAITING - 20, 'in-progress': 20 });
  const plain = await readBy(() =>
    connection.query("SELECT status, COUNT(*) FROM rowlock_job WHERE queue = 'q' GROUP BY status"),
  );
  expect(rows).toBeLessThan(plain.rows + 2_000);
});
