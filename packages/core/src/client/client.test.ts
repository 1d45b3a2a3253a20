import { expect, test } from 'vitest';
import { emptyDatabase, NOTHING } from '../../test/empty-database.js';
import type { Page } from '../driver/driver.js';
import { createRowlock } from '../rowlock.js';
import type { ListOptions } from './client.js';

/** A client on a table that has two pages. */
function reader() {
  const { driver } = emptyDatabase({ claim: () => undefined, survey: () => NOTHING });
  const asked: Page['before'][] = [];
  const rowlock = createRowlock({
    driver: {
      ...driver,
      async list(_, { before }) {
        asked.push(before);
        return { jobs: [], next: before === null ? 7n : null };
      },
    },
  });
  return { rowlock, asked };
}

test('pages are read one after the other, the first without a cursor or with null', async () => {
  const { rowlock, asked } = reader();
  let cursor: string | null = null;
  do {
    ({ cursor } = await rowlock.list({ cursor }));
  } while (cursor !== null);
  await rowlock.list();
  expect(asked).toEqual([null, 7n, null]);
});

test.each(['', '7', 7, {}])('what is no cursor is refused: %j', async (cursor) => {
  const { rowlock, asked } = reader();
  const options: ListOptions = JSON.parse('{}', () => ({ cursor }));
  await expect(rowlock.list(options)).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
  expect(asked).toEqual([]);
});
