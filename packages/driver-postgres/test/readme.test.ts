import { readFile } from 'node:fs/promises';
import { freshDatabase } from '@rowlock/servers';
import '@rowlock/servers/vitest';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { postgres } from '../src/index.js';

test("the README's question for what runs now is answered, for runs of one job and of several", async () => {
  const fresh = await freshDatabase(inject('postgresUrl'));
  onTestFinished(() => fresh.drop());
  const driver = postgres({ connectionString: fresh.url });
  await driver.schema.migrate();
  await driver.close();
  const client = new pg.Client(fresh.url);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`
    INSERT INTO rowlock.job (kind) VALUES ('a'), ('b'), ('c');
    INSERT INTO rowlock.run (process_id, job_id, worker_id) VALUES (gen_random_uuid(), 1, 7);
    INSERT INTO rowlock.open_run (process_id, worker_id, first_id, last_id, job_ids)
      VALUES (gen_random_uuid(), 8, 2, 3, '{2, 3}');`);
  const { rows } = await client.query(await whatRunsNow());
  expect(rows.map(({ worker_id, jobs }) => [worker_id, jobs])).toEqual([
    [7, ['1']],
    [8, ['2', '3']],
  ]);
});

async function whatRunsNow(): Promise<string> {
  const text = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  return /What runs now:\s+```sql\n(.*?)```/s.exec(text)?.[1] ?? '';
}
