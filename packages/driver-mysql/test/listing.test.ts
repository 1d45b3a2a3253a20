import { countStates } from '@rowlock/driver-conformance/internal';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { mysql } from '../src/index.js';
import { serverUrl } from './server.js';

const WAITING = 20_000;

async function emptyTables() {
  const fresh = await freshMysqlDatabase(serverUrl);
  onTestFinished(() => fresh.drop());
  const driver = mysql({ uri: fresh.url });
  onTestFinished(() => driver.close());
  await driver.schema.migrate();
  const connect = async () => {
    const connection = await createConnection(fresh.url);
    onTestFinished(() => connection.end());
    return connection;
  };
  const connection = await connect();
  return { connection, connect, driver, store: driver.join(connection) };
}

/** Many jobs that wait, of which a few have runs of a live worker, and how many rows a call reads. */
async function backlog() {
  const { connection, store } = await emptyTables();
  const digits = '(SELECT 0 AS n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4)';
  const many = Array.from({ length: 8 }, (_, place) => `${digits} AS digit${place}`).join(', ');
  for (const statement of [
    // The server renews statistics in the background, and plans by half of them meanwhile.
    'ALTER TABLE rowlock_job STATS_AUTO_RECALC = 0',
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

// Beside an open transaction, a prepared statement of MariaDB that sorts may take a virtual column's value from another row.
test('a waiting job is found by its key, whatever the connection has read before', async () => {
  const { store, connection, connect } = await emptyTables();
  const beside = await connect();
  await beside.query('START TRANSACTION WITH CONSISTENT SNAPSHOT');
  await beside.query("INSERT INTO rowlock_job (queue, kind) VALUES ('q', 'k')");
  const insert = "INSERT INTO rowlock_job (queue, kind, `key`) VALUES ('q', 'k', 'a')";
  await connection.query(insert);
  const [{ insertId: settled }] = await connection.query<ResultSetHeader>(insert);
  await connection.query(
    "UPDATE rowlock_job SET status = 'complete', finished_at = UTC_TIMESTAMP(6) WHERE id = ?",
    [settled],
  );
  await connection.query('START TRANSACTION');
  const waiting = 'FROM rowlock_job FORCE INDEX (job_entity) WHERE `key` = ? AND outstanding = 1';
  const find = async (): Promise<unknown[]> => {
    const sorted = `SELECT id ${waiting} ORDER BY id DESC LIMIT 10`;
    const { jobs } = await store.jobs.list({ key: 'a' }, { limit: 10, before: null });
    const [rows] = await connection.execute<RowDataPacket[]>(sorted, ['a']);
    return [rows.length, ...jobs.map(({ status }) => status)];
  };
  const first = await find();
  await connection.execute(`SELECT id, status, outstanding ${waiting}`, ['a']);
  await connection.execute('SELECT id, status FROM rowlock_job WHERE id = ?', [settled]);
  expect([first, await find()]).toEqual([
    [1, 'complete', 'new'],
    [1, 'complete', 'new'],
  ]);
});

test('a page of a list, and what runs, are read without the jobs that wait', async () => {
  const { store, connection, readBy } = await backlog();
  const page = { limit: 50, before: null, look: 1_000 };
  for (const [status, jobs] of [
    [undefined, 50],
    ['new', 50],
    ['in-progress', 20],
  ] as const) {
    const { answer, rows } = await readBy(() =>
      store.jobs.list(status === undefined ? {} : { status }, page),
    );
    expect(answer.jobs).toHaveLength(jobs);
    expect(rows, String(status)).toBeLessThan(4_000);
  }
  const all = { limit: WAITING + 1, before: null };
  const outstanding = { queue: 'q', status: ['new', 'in-progress'] } as const;
  const { answer, rows } = await readBy(() => store.jobs.count(outstanding, all));
  expect(answer).toEqual({ count: WAITING, next: null });
  const plain = await readBy(() =>
    connection.query("SELECT status, COUNT(*) FROM rowlock_job WHERE queue = 'q' GROUP BY status"),
  );
  // The parts of the count are put together.
  expect(rows).toBeLessThan(2 * plain.rows + 2_000);
});

/** In characters. The server sorts in 256 KiB, unless it is set otherwise. */
const LARGE = 300_000;

const SETTLED = "IF(MOD(number, 3) = 0, 'complete', 'new'), IF(MOD(number, 3) = 0, UTC_TIMESTAMP(6), NULL)";

test.each([0, 60, 20_000, 60_000])(
  'among %i jobs a page is listed by each filter, however large its jobs are',
  async (size) => {
    const { driver, store, connection } = await emptyTables();
    await connection.query(
      `INSERT INTO rowlock_worker (id, name, host, pid, queues, \`lines\`, alive_until)
       VALUES (1, 'w', 'h', 1, JSON_ARRAY(REPEAT('x', ${LARGE})), JSON_OBJECT('q', REPEAT('x', ${LARGE})), UTC_TIMESTAMP(6) + INTERVAL 1 HOUR),
              (2, 'w', 'h', 1, JSON_ARRAY(REPEAT('x', ${LARGE})), '{}', UTC_TIMESTAMP(6) + INTERVAL 1 HOUR)`,
    );
    if (size > 0)
      for (const fill of [
        `INSERT INTO rowlock_job (queue, kind, \`key\`, public_id, payload, status, finished_at)
         SELECT 'q', 'k', CONCAT('key ', MOD(number, 5)), UUID(), '1', ${SETTLED} FROM (${numbers(size)}) AS each_number`,
        `UPDATE rowlock_job SET payload = JSON_QUOTE(REPEAT('x', ${LARGE})) ORDER BY id DESC LIMIT 20`,
        `INSERT INTO rowlock_run (process_id, job_id, worker_id, progress) SELECT UUID(), id, 1, payload FROM rowlock_job ORDER BY id DESC LIMIT 10`,
        `INSERT INTO rowlock_open_run (process_id, worker_id, first_id, last_id, job_ids)
         SELECT UUID(), 1, MIN(id), MAX(id), CONCAT('[', GROUP_CONCAT(id), ',"', REPEAT('x', ${LARGE}), '"]') FROM
         (SELECT id FROM rowlock_job ORDER BY id DESC LIMIT 10 OFFSET 10) AS some`,
        `INSERT INTO rowlock_open_run (process_id, worker_id, first_id, last_id, job_ids)
         SELECT UUID(), 1, first_id, last_id, job_ids FROM rowlock_open_run`,
        'ANALYZE TABLE rowlock_job, rowlock_run, rowlock_open_run',
      ])
        await connection.query(fill);
    await connection.beginTransaction();
    expect(await driver.workers.list()).toHaveLength(2);
    for (const where of FILTERS)
      for (const status of [undefined, 'new', 'in-progress', 'complete', 'error'] as const) {
        const filter = { ...where, ...(status !== undefined && { status }) };
        const { jobs } = await store.jobs.list(filter, { limit: 50, before: null });
        const times = jobs.map(({ publicId }) => publicId);
        expect(new Set(times).size).toBe(jobs.length);
        if (size > 0 && status !== 'error') expect(jobs, JSON.stringify(filter)).not.toEqual([]);
        await countStates(store, filter);
      }
  },
);

const FILTERS = [
  {},
  { queue: 'q' },
  { kind: 'k' },
  { key: 'key 1' },
  { queue: 'q', kind: 'k', key: 'key 1' },
];

function numbers(size: number): string {
  const digits = Array.from({ length: 10 }, (_, n) => `SELECT ${n} AS n`).join(' UNION ALL ');
  const tables = Array.from({ length: 5 }, (_, place) => `(${digits}) AS digit${place}`).join(' JOIN ');
  return `SELECT ROW_NUMBER() OVER () AS number FROM ${tables} LIMIT ${size}`;
}
