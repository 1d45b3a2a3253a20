import '@rowlock/servers/vitest';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openPostgresHarness } from './postgres-harness.js';

/** A commit of a record waits for whoever has this lock. */
const LOCK = 4711;

const SLOW_COMMIT = `
  CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(${LOCK}); RETURN NULL; END $$;
  CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON rowlock.run DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()`;

test('a record is told ahead of its commit, and committed though its worker dies meanwhile', async () => {
  const database = await openPostgresHarness(inject('postgresUrl')).database();
  onTestFinished(() => database.close());
  const { driver, kill } = await database.process();
  onTestFinished(() => kill());
  await driver.migrate();
  const { workerId } = await driver.anchor({ name: 'worker', host: 'host', pid: 1, queues: ['q'] });
  await database.reader.exec(SLOW_COMMIT);
  const blocker = new pg.Client({ connectionString: database.url });
  await blocker.connect();
  onTestFinished(() => blocker.end());
  await blocker.query(`SELECT pg_advisory_lock(${LOCK})`);
  const records = () => database.reader.exec('SELECT job_id FROM rowlock.run');

  const run = { processId: randomUUID(), workerId, jobs: [1n] };
  let committed: Promise<unknown> = Promise.resolve();
  await new Promise<void>((written) => {
    committed = driver.startRuns([run], () => written());
  });
  expect(await records()).toEqual([]);
  const lost = expect(committed).rejects.toMatchObject({ code: 'ConnectionLost' });
  await kill();
  await lost;
  await blocker.query(`SELECT pg_advisory_unlock(${LOCK})`);
  await expect.poll(records, { timeout: 10_000 }).toHaveLength(1);
});
