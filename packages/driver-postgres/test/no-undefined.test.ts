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
  await store.enqueue([newJob(), newJob({ unique: { key: 'a', scope: 'ever' } })], [{ queue: 'q' }]);
  await store.list({}, { limit: 1, before: null });
  await store.list({ status: 'in-progress' }, { limit: 1, before: null });
  await countStates(store, {});
  await store.move('cancel', newPublicId());
  await store.moveAll('redrive', [newPublicId()]);
  await store.notify([{}]);
  await store.workers();
  expect(sent).not.toContain(undefined);
  await client.end();
  await driver.close();
});
