import { describe, expect, test } from 'vitest';
import { compose } from '../src/composition.js';
import { readConfig } from '../src/config.js';
import { createLog } from '../src/log.js';
import { DATABASES } from './support/databases.js';

describe.each(DATABASES)('on $name', (database) => {
  test('many processes bring the tables up to date at once: one of them does it', async () => {
    const { url, drop } = await database.fresh();
    const config = readConfig({ DATABASE_URL: url }, 'migration');
    const parts = Array.from({ length: 8 }, () => compose(config, createLog('migrate', 'silent')));
    const applied = await Promise.all(parts.map(({ store }) => store.migrate()));
    expect(applied.flat()).toEqual(['001-spreadsheets.sql']);
    expect(await parts[0]?.store.migrate()).toEqual([]);
    await parts[0]?.store.verify();
    await Promise.all(parts.map(({ close }) => close()));
    await drop();
  });
});
