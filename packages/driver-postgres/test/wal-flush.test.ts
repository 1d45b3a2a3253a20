import { randomUUID } from 'node:crypto';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { WalFlush } from '../src/claims/wal-flush.js';
import { postgres } from '../src/index.js';
import { statements } from '../src/statements.js';

const { flush, startRuns, startTogether } = statements('rowlock').runs;

let plain: pg.Client;
let url: string;
let drop: () => Promise<void>;

beforeEach(async () => {
  ({ url, drop } = await freshDatabase(inject('postgresUrl')));
  plain = new pg.Client({ connectionString: url });
  await plain.connect();
});

afterEach(async () => {
  await plain.end();
  await drop();
});

const lsn = async (which: 'insert' | 'flush'): Promise<bigint> => {
  const { rows } = await plain.query(`SELECT (pg_current_wal_${which}_lsn() - '0/0')::text AS lsn`);
  return BigInt(rows[0].lsn);
};

test('what was committed without waiting for the disk is on it when the flush is answered', async () => {
  await plain.query('CREATE TABLE written (n integer)');
  const walFlush = new WalFlush(plain, flush, () => undefined);
  for (let n = 0; n < 20; n++) {
    await plain.query('BEGIN; SET LOCAL synchronous_commit = off; INSERT INTO written VALUES (1); COMMIT');
    const written = await lsn('insert');
    await walFlush.flush();
    expect(await lsn('flush')).toBeGreaterThanOrEqual(written);
  }
});

test('who asks while a flush is on its way shares the next one; one that fails is told to those who asked for it', async () => {
  const asked: { answer: () => void; fail: (error: Error) => void }[] = [];
  const query = () =>
    new Promise<never>((resolve, reject) => {
      asked.push({ answer: () => Object.assign(resolve)({ rows: [] }), fail: reject });
    });
  const turns = () => new Promise((resolve) => setImmediate(resolve));
  const walFlush = new WalFlush({ query }, flush, () => undefined);
  const first = walFlush.flush();
  await turns();
  const [second, third] = [walFlush.flush(), walFlush.flush()];
  await turns();
  expect(asked).toHaveLength(1);
  asked[0]?.answer();
  await first;
  await turns();
  expect(asked).toHaveLength(2);
  const fourth = walFlush.flush();
  asked[1]?.fail(new Error('gone'));
  for (const each of [second, third]) await expect(each).rejects.toThrow('gone');
  await turns();
  asked[2]?.answer();
  await fourth;
});

test('a record is flushed on request, and not before', async () => {
  const pool = new pg.Pool({ connectionString: url });
  const sent: unknown[] = [];
  pool.on('connect', (client) => {
    const query = client.query.bind(client);
    Object.assign(client, {
      query: (...given: Parameters<typeof query>) => {
        sent.push(Object(given[0]).text);
        return query(...given);
      },
    });
  });
  const driver = postgres({ pool });
  try {
    await driver.schema.migrate();
    const anchor = await driver.workers.anchor({ name: 'worker', host: 'host', pid: 1, queues: ['q'] });
    const { workerId } = anchor;
    const jobs = [{ id: 1n, createdAt: new Date() }];
    const { visible, durable } = driver.claims.startRuns([{ runId: randomUUID(), workerId, jobs }], []);
    expect(await visible).toEqual({ earlier: [], unfinished: [] });
    expect((await plain.query('SELECT job_id FROM rowlock.run')).rows).toHaveLength(1);
    expect(sent).not.toContain(flush);
    const written = await lsn('insert');
    await durable();
    expect(sent.filter((text) => text === flush)).toHaveLength(1);
    expect(await lsn('flush')).toBeGreaterThanOrEqual(written);
    await anchor.release();
  } finally {
    await driver.close();
    await pool.end();
  }
});

test('a record does not wait for the disk, and one that is not written changes nothing', async () => {
  const driver = postgres({ connectionString: url });
  await driver.schema.migrate();
  await driver.close();
  const { rows } = await plain.query(
    "INSERT INTO rowlock.worker (id, name, host, pid, queues) VALUES (1, 'w', 'h', 1, '{q}') RETURNING id",
  );
  const run = randomUUID();
  const jobs = ['{1}', '1', '1', '{0}'];
  for (const [text, values] of [
    [startRuns, [`{${run}}`, `{${rows[0].id}}`, ...jobs]],
    [startTogether, [run, rows[0].id, ...jobs, '0']],
  ] as const) {
    for (const waits of ['off', 'on']) {
      await plain.query('BEGIN');
      await plain.query(text, [...values]);
      const { rows: settings } = await plain.query('SHOW synchronous_commit');
      expect(settings).toEqual([{ synchronous_commit: waits }]);
      // The second time it meets what the first has left unfinished.
      await plain.query('COMMIT');
    }
    await plain.query('DELETE FROM rowlock.run');
  }
});
