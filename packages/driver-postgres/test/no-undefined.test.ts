import { moveOne } from '@rowlock/driver-conformance';
import '@rowlock/servers/vitest';
import { newPublicId } from '@rowlock/core/driver';
import { countStates, newJob } from '@rowlock/driver-conformance/internal';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { type PostgresTransaction, postgres } from '../src/index.js';

test('no statement of a joined call has undefined as a value', async () => {
  const { url, drop } = await freshDatabase(inject('postgresUrl'));
  onTestFinished(drop);
  const driver = postgres({ connectionString: url });
  await driver.schema.migrate();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('BEGIN');
  const sent: unknown[] = [];
  const tx: PostgresTransaction = {
    query(text, values) {
      sent.push(...(values ?? []), ...(typeof text === 'string' ? [] : (text.values ?? [])));
      return client.query(text, values);
    },
  };
  const store = driver.join(tx);
  await store.jobs.enqueue([newJob(), newJob({ unique: { key: 'a', scope: 'ever' } })], [{ queue: 'q' }]);
  await store.jobs.list({}, { limit: 1, before: null });
  await store.jobs.list({ status: 'in-progress' }, { limit: 1, before: null });
  await countStates(store, {});
  await moveOne(store, 'cancel', newPublicId());
  await store.jobs.move('redrive', [newPublicId()]);
  await store.workers.notify([{}]);
  expect(sent).not.toContain(undefined);
  await client.end();
  await driver.close();
});
