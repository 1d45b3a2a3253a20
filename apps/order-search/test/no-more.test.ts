import { DATABASES, eventually } from '@rowlock/app-shared/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { type ByHand, readByHand } from './support/by-hand.js';
import { type OrderSearch, startOrderSearch } from './support/order-search.js';

/** More than a statement may change without a bulk job. Half of them are numbered 0 and below. */
const MANY = 1_100;
const FIRST = -549;

const OF_ORDER = 'rtnhdr paymnt invhdr shpitm shphdr wtynot ordcon ordcmt ordser orditm ordhdr'.split(' ');

describe.each(DATABASES)('on $name', (database) => {
  const undo: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  let app: OrderSearch;
  let byHand: ByHand;

  /** Orders without more than their heads, by one statement. */
  async function manyOrders(): Promise<void> {
    app = await startOrderSearch(database, 3);
    undo.push(() => app.stop());
    byHand = await readByHand(app.url);
    undo.push(() => byHand.close());
    await app.startWorker();
    const heads = Array.from(
      { length: MANY },
      (_, n) => `(${n < 550 ? n + FIRST : n + 1_000}, 1, '2026-01-01', 'open', 'B')`,
    );
    await app.legacy.run(
      `INSERT INTO ordhdr (ord_no, cus_no, ord_dat, status, branch) VALUES ${heads.join(', ')}`,
    );
    await allIndexed();
    expect(Object.keys(await byHand.indexed())).toHaveLength(MANY + 3);
  }

  /** Nothing is to be done any more, and the search table is what a rebuild would write. */
  async function allIndexed(): Promise<void> {
    const outstanding = () => app.parts.rowlock.jobs.count({ status: ['new', 'in-progress'] });
    await eventually(async () => (await outstanding()).count === 0, { withinMs: 240_000 });
    expect(await byHand.indexed()).toEqual(await byHand.rebuilt());
    expect((await app.parts.rowlock.jobs.list({ status: 'error' })).jobs).toEqual([]);
  }

  test('orders that one statement deletes are not found any more', { timeout: 300_000 }, async () => {
    await manyOrders();
    expect(await app.legacy.run('DELETE FROM ordhdr WHERE ord_no < 0 OR ord_no > 3')).toBe(MANY - 1);
    await allIndexed();
    expect(Object.keys(await byHand.indexed())).toEqual(['0', '1', '2', '3']);
  });

  test('nor are those of an emptied table', { timeout: 300_000 }, async ({ skip }) => {
    skip(database.name === 'MySQL', 'MySQL fires no trigger for TRUNCATE');
    await manyOrders();
    await app.legacy.run(`TRUNCATE ${OF_ORDER.join(', ')}`);
    await allIndexed();
    expect(await byHand.indexed()).toEqual({});
  });
});
