import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import { newJob } from '@rowlock/driver-conformance/internal';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { postgres } from '../src/index.js';

/** Tables as a restore leaves them that brings rows and no sequences. */
async function restored() {
  const fresh = await freshDatabase(inject('postgresUrl'));
  onTestFinished(() => fresh.drop());
  const driver = postgres({ connectionString: fresh.url });
  onTestFinished(() => driver.close());
  await driver.schema.migrate();
  const client = new pg.Client(fresh.url);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`
    INSERT INTO rowlock.job (id, kind) OVERRIDING SYSTEM VALUE SELECT n, 'k' FROM generate_series(1, 50) AS n;
    INSERT INTO rowlock.bell (id, wake_up) OVERRIDING SYSTEM VALUE VALUES (3, '{}');
    INSERT INTO rowlock.worker (id, name, host, pid, queues, alive_until) VALUES (1, 'w', 'h', 1, '{}', now() + interval '1 hour');`);
  return { driver, client };
}

const wanted = {
  code: 'UniqueViolation',
  message: expect.stringMatching(/ids .* behind .*rowlock\.migrate\(\)/),
};

test.each([null, { key: 'u', scope: 'outstanding' } as const])(
  'where the ids are behind the rows an enqueue says so, and migrate() mends it: unique %j',
  async (unique) => {
    const { driver, client } = await restored();
    const enqueue = (): Promise<unknown> =>
      driver.jobs.enqueue(
        [newJob({ queue: 'q', kind: 'k', maxAttempts: 5, createdBy: 't', unique })],
        [{ queue: 'q' }],
      );
    await expect(enqueue()).rejects.toMatchObject(wanted);
    expect(await driver.schema.migrate()).toMatchObject({ applied: [] });
    expect(await enqueue()).toMatchObject([{ outcome: 'enqueued' }]);
    const { rows } = await client.query(
      'SELECT max(id)::integer AS newest, count(*)::integer AS jobs FROM rowlock.job',
    );
    expect(rows).toEqual([{ newest: 51, jobs: 51 }]);
    // A second one sets nothing back.
    await driver.schema.migrate();
    await enqueue();
  },
);

test('the function for SQL does not take an id that is taken for a unique key', async () => {
  const { driver, client } = await restored();
  const enqueue = () => client.query("SELECT outcome FROM rowlock.enqueue('k', '{}', unique_key => 'u')");
  await expect(enqueue()).rejects.toMatchObject({ code: '23505', constraint: 'job_pkey' });
  await driver.schema.migrate();
  expect((await enqueue()).rows).toEqual([{ outcome: 'enqueued' }]);
  expect((await enqueue()).rows).toEqual([{ outcome: 'duplicate' }]);
});
