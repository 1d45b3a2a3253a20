import type { JobFilter, Jobs } from '@rowlock/core/driver';
import { freshMysqlDatabase } from '@rowlock/servers';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mysql } from '../src/index.js';
import { serverUrl } from './server.js';

const SETTLED = 100_000;
const LOOK = 2_000;
const PAGE = { limit: 50, before: null, look: LOOK };

const DIGITS = Array.from({ length: 10 }, (_, n) => `SELECT ${n} AS n`).join(' UNION ALL ');
const NUMBERS = Array.from({ length: 5 }, (_, place) => `(${DIGITS}) AS digit${place}`).join(' JOIN ');

/** What a call reads, counted in rows, not in time. */
describe('with 100,000 settled jobs and 30,000 that wait', () => {
  let connection: Connection;
  let jobs: Jobs;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    const fresh = await freshMysqlDatabase(serverUrl);
    const driver = mysql({ uri: fresh.url });
    await driver.schema.migrate();
    connection = await createConnection(fresh.url);
    drop = async () => {
      await connection.end();
      await driver.close();
      await fresh.drop();
    };
    for (const statement of FILL) await connection.query(statement);
    await connection.beginTransaction();
    ({ jobs } = driver.join(connection));
  }, 120_000);

  afterAll(() => drop());

  const FOUND: readonly (readonly [name: string, filter: JobFilter, most: number])[] = [
    ['all jobs', {}, 2_000],
    ['a key with little history', { key: 'rare' }, 500],
    ['a key with much history, of a queue', { key: 'busy', queue: 'q' }, 5_000],
    ['what failed of a key and a queue', { key: 'busy', queue: 'q', status: 'error' }, 12_000],
    ['what failed', { status: 'error' }, 2_000],
    ['what failed or was cancelled', { status: ['error', 'cancelled'] }, 2_000],
    ['what failed with a code', { status: 'error', error: { code: 'E_RARE' } }, 8_000],
    ['what waits', { queue: 'few', status: 'new' }, 6_000],
    ['what is outstanding in a queue', { queue: 'few', status: ['new', 'in-progress'] }, 6_000],
    [
      'what is outstanding in several queues',
      { queue: ['few', 'none'], status: ['new', 'in-progress'] },
      6_000,
    ],
    ['what runs', { status: 'in-progress' }, 2_000],
    ['a kind', { kind: ['k', 'other'] }, 8_000],
    ['a kind that is rare', { kind: 'rare' }, 8_000],
    ['a part of the payload', { payload: { n: -1 } }, 8_000],
    ['some time', { settled: { from: new Date(0), before: new Date(1) } }, 8_000],
  ];

  for (const [name, filter, most] of FOUND) {
    test(`a page of ${name} is read by an index, and no more of it than a page needs`, async () => {
      for (const call of [
        () => jobs.list(filter, PAGE),
        () => jobs.count(filter, PAGE),
        () => jobs.entries(filter, PAGE),
      ]) {
        await call();
        const before = await reads();
        await call();
        expect((await reads()) - before).toBeLessThan(most);
      }
    });
  }

  async function reads(): Promise<number> {
    const [rows] = await connection.query<RowDataPacket[]>("SHOW SESSION STATUS LIKE 'Handler_read%'");
    return rows.reduce((sum, row) => sum + Number(row.Value), 0);
  }
});

const FILL = [
  `INSERT INTO rowlock_job (queue, kind, \`key\`, public_id, payload, status, error, finished_at)
   SELECT 'q', IF(n = 77, 'rare', 'k'), CASE WHEN n % 2 = 0 THEN 'busy' WHEN n % 30001 = 0 THEN 'rare' END, UUID(), JSON_OBJECT('n', n),
     CASE n % 100 WHEN 0 THEN 'error' WHEN 1 THEN 'cancelled' ELSE 'complete' END,
     IF(n % 100 = 0, '{"code": "E", "message": "It failed."}', NULL), UTC_TIMESTAMP(6)
   FROM (SELECT ROW_NUMBER() OVER () AS n FROM ${NUMBERS} LIMIT ${SETTLED}) AS numbers`,
  `INSERT INTO rowlock_job (queue, kind, public_id, payload, available_at, due)
   SELECT IF(n % 100 = 0, 'few', 'many'), 'k', UUID(), JSON_OBJECT('n', -n - 1), UTC_TIMESTAMP(6) + INTERVAL n % 3 MINUTE, n % 3 = 0
   FROM (SELECT ROW_NUMBER() OVER () AS n FROM ${NUMBERS} LIMIT 30000) AS numbers`,
  `INSERT INTO rowlock_worker (id, name, host, pid, queues, alive_until)
   VALUES (1, 'w', 'h', 1, '["q"]', UTC_TIMESTAMP(6) + INTERVAL 1 HOUR)`,
  `INSERT INTO rowlock_run (process_id, job_id, worker_id)
   SELECT UUID(), id, 1 FROM rowlock_job WHERE queue = 'few' AND claimable = 1 LIMIT 10`,
  'ANALYZE TABLE rowlock_job, rowlock_run, rowlock_open_run',
];
