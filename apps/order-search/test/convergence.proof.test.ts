import { DATABASES, eventually } from '@rowlock/app-shared/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { act } from '../src/legacy/applications.js';
import { stockFor } from '../src/legacy/fill.js';
import { Invent } from '../src/legacy/invent.js';
import { readByHand } from './support/by-hand.js';
import { startOrderSearch } from './support/order-search.js';

// The whole of it: ORDERS=20000 CHANGES=200000 WRITERS=8, by hand.
const ORDERS = Number(process.env.ORDERS ?? 300);
const WRITERS = Number(process.env.WRITERS ?? 4);
const CHANGES = Number(process.env.CHANGES ?? 800);
/** A net, as everywhere. */
const WITHIN_MS = 120_000 + CHANGES * 100;

describe.each(DATABASES)('on $name', (database) => {
  const undo: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  test('after changes of all kinds, and workers killed at random, the search table is what a rebuild would write', {
    timeout: WITHIN_MS,
  }, async () => {
    const app = await startOrderSearch(database, ORDERS, WRITERS);
    undo.push(() => app.stop());
    const workers = [await app.startWorker(), await app.startWorker()];

    let [made, committed] = [0, 0];
    const writer = async (index: number): Promise<void> => {
      const invent = new Invent(index);
      let last = 1_000_000 + index;
      const nextNo = () => {
        last += WRITERS;
        return last;
      };
      const anyOrder = () => invent.whole(1, ORDERS);
      for (let n = 0; n < CHANGES / WRITERS; n += 1, made += 1)
        if (await act(app.legacy, { invent, stock: stockFor(ORDERS), nextNo, anyOrder })) committed += 1;
    };
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, index) => writer(index)));
    for (const part of [0.25, 0.5, 0.75]) {
      await eventually(async () => made >= CHANGES * part, { withinMs: WITHIN_MS });
      await workers.shift()?.kill();
      workers.push(await app.startWorker());
    }
    await writing;
    // A tenth was rolled back.
    expect(committed).toBeLessThan(made);

    const { rowlock } = app.parts;
    const outstanding = () => rowlock.jobs.count({ status: ['new', 'in-progress'] });
    await eventually(async () => (await outstanding()).count === 0, { withinMs: WITHIN_MS });
    const byHand = await readByHand(app.url);
    undo.push(() => byHand.close());
    expect(await byHand.indexed()).toEqual(await byHand.rebuilt());
    expect((await rowlock.jobs.list({ status: 'error' })).jobs).toEqual([]);
  });
});
