import { createLog } from '@rowlock/app-shared';
import { DATABASES, MYSQL } from '@rowlock/app-shared/testing';
import { createConnection } from 'mysql2/promise';
import { describe, expect, test } from 'vitest';
import { compose } from '../src/composition.js';
import { readConfig } from '../src/config.js';

describe.each(DATABASES)('on $name', (database) => {
  test('many processes bring the tables up to date at once: one of them does it', async () => {
    const { url, drop } = await database.fresh();
    const config = readConfig({ DATABASE_URL: url }, 'migration');
    const parts = Array.from({ length: 8 }, () => compose(config, createLog('migrate', 'silent')));
    const applied = await Promise.all(parts.map(({ store }) => store.migrate()));
    expect(applied.flat()).toEqual(['001-spreadsheets.sql', '002-not-shared.sql']);
    expect(await parts[0]?.store.migrate()).toEqual([]);
    await parts[0]?.store.verify();
    await Promise.all(parts.map(({ close }) => close()));
    await drop();
  });
});

test('on MySQL each can be run twice, as after an interruption', async () => {
  const { url, drop } = await MYSQL.fresh();
  const { store, close } = compose(
    readConfig({ DATABASE_URL: url }, 'migration'),
    createLog('migrate', 'silent'),
  );
  const applied = await store.migrate();
  const client = await createConnection(url);
  await client.query('DELETE FROM spreadsheet_migration');
  await client.end();
  expect(await store.migrate()).toEqual(applied);
  await store.verify();
  await close();
  await drop();
});
