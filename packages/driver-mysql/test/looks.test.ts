import { createRowlock } from '@rowlock/core';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createPool, type RowDataPacket } from 'mysql2/promise';
import { expect, onTestFinished, test } from 'vitest';
import { mysql } from '../src/index.js';
import { gateOf, lockPrefix } from '../src/workers/lock-name.js';
import { serverUrl } from './server.js';

test('a claim meets no lock of a page that looks at a job with a limit of one, and the bell does not ring', async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  onTestFinished(() => fresh.drop());
  const driver = mysql({ uri: fresh.url });
  onTestFinished(() => driver.close());
  const pool = createPool({ uri: fresh.url });
  onTestFinished(() => pool.end());
  await driver.schema.migrate();
  const rowlock = createRowlock({ driver, handlers: [] });
  await pool.query(
    "INSERT INTO rowlock_job (queue, kind, `key`, limits) VALUES ('q', 'k', 'key', '{\"one\":1}')",
  );
  const [[job]] = await pool.query<RowDataPacket[]>('SELECT public_id FROM rowlock_job');
  const publicId = String(job?.public_id);
  await (await rowlock.limits.slots('one', { max: 1 }).acquire())[Symbol.asyncDispose]();
  const rings = async (): Promise<number> => {
    const [[row]] = await pool.query<RowDataPacket[]>('SELECT COALESCE(MAX(id), 0) AS id FROM rowlock_bell');
    return Number(row?.id);
  };
  const before = await rings();

  /** Passes the limit's gate, as a claim does, and locks what is free. */
  const gate = gateOf(lockPrefix(new URL(fresh.url).pathname.slice(1)), 'one');
  const claimer = await pool.getConnection();
  const slot = 'SELECT n FROM rowlock_limit_slot WHERE n = 1 FOR UPDATE SKIP LOCKED';
  const meet = async (): Promise<number> => {
    await claimer.query('DO GET_LOCK(?, 5)', [gate]);
    const [slots] = await claimer.query<RowDataPacket[]>(slot);
    await claimer.query('DO RELEASE_LOCK(?)', [gate]);
    const [jobs] = await claimer.query<RowDataPacket[]>('SELECT id FROM rowlock_job FOR UPDATE SKIP LOCKED');
    return slots.length + jobs.length;
  };
  expect(await meet()).toBe(2);
  let isLooking = true;
  const found: number[] = [];
  const meeting = (async () => {
    while (isLooking) found.push(await meet());
  })();
  // Until they have met often enough, whichever of both is the quicker one.
  for (let count = 0; count < 20 || found.length <= 20; count++)
    await Promise.all([
      rowlock.insight.explain(publicId),
      rowlock.insight.picture({ queue: 'q' }),
      rowlock.limits.list(),
      rowlock.insight.runs(publicId),
      rowlock.insight.stats(),
    ]);
  isLooking = false;
  await meeting;
  claimer.release();
  expect(found.filter((rows) => rows < 2)).toEqual([]);
  expect(await rings()).toBe(before);
});
