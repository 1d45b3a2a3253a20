import { randomUUID } from 'node:crypto';
import { createLog, DatabaseAwayError } from '@rowlock/app-shared';
import { DATABASES } from '@rowlock/app-shared/testing';
import type { Rowlock } from '@rowlock/core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AnyComposition, compose } from '../src/composition.js';
import { readConfig } from '../src/config.js';
import type { Row } from '../src/data/spreadsheet.js';
import type { SpreadsheetStore } from '../src/data/spreadsheet-store.js';

describe.each(DATABASES)('the store on $name', (database) => {
  let parts: AnyComposition;
  let url: string;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    ({ url, drop } = await database.fresh());
    parts = compose(readConfig({ DATABASE_URL: url }, 'migration'), createLog('test', 'silent'));
    await parts.migrate();
  });

  afterAll(async () => {
    await parts.close();
    await drop();
  });

  const insert = async (given: {
    owner?: string;
    title?: string;
    columns?: readonly string[];
    rows?: readonly Row[];
  }): Promise<string> => {
    const id = randomUUID();
    const { owner = 'ada', title = 'Oars', columns = ['Item'], rows } = given;
    await parts.both(<Tx>(_rowlock: Rowlock<Tx>, store: SpreadsheetStore<Tx>) =>
      store.transaction(async (tx) => {
        await store.insert({ id, owner, title, columns, createJob: randomUUID() }, tx);
        if (rows) await store.replaceRows(id, { columns: ['Item', 'Pieces'], rows }, tx);
      }),
    );
    return id;
  };

  test('gives rows back as they came: their order, their numbers, their texts, their gaps', async () => {
    const rows = [
      ['b', 1, true, null],
      [],
      [0.1, -1.5e-7, 1e21, Number.MAX_SAFE_INTEGER, 2 ** 63, Number.MIN_VALUE, Number.MAX_VALUE],
      ['🚣 漕艇', '"', '\\', '\n', '', ' '],
      ...Array.from({ length: 2_000 }, (_, each) => [each]),
    ];
    const id = await insert({ rows });
    expect(await parts.store.rowsOf(id)).toEqual(rows);
    expect(await parts.store.find(id)).toMatchObject({ columns: ['Item', 'Pieces'], returns: 1 });
  });

  test('lists and gives back what is larger than the memory in which a server sorts', async () => {
    const large = 'x'.repeat(400_000);
    const ids: string[] = [];
    for (let place = 0; place < 5; place++) ids.unshift(await insert({ owner: 'large', columns: [large] }));
    const rows = Array.from({ length: 5 }, (_, place) => [place, large]);
    const last = await insert({ owner: 'large', rows });
    const listed = await parts.store.listOf('large');
    expect(listed.map(({ id }) => id)).toEqual([last, ...ids]);
    expect(await parts.store.rowsOf(last)).toEqual(rows);
  });

  test('puts rows in the place of those from the time before, also none', async () => {
    const id = await insert({ rows: [['a'], ['b'], ['c']] });
    for (const rows of [[['d'], ['e']], []]) {
      await parts.both(<Tx>(_rowlock: Rowlock<Tx>, store: SpreadsheetStore<Tx>) =>
        store.transaction((tx) => store.replaceRows(id, { columns: ['Item'], rows }, tx)),
      );
      expect(await parts.store.rowsOf(id)).toEqual(rows);
    }
  });

  test('takes owners for different who differ in case, in an accent or in a blank', async () => {
    const owners = ['grace', 'Grace', 'gräce', 'grace '];
    const ids = await Promise.all(owners.map((owner) => insert({ owner })));
    const lists = await Promise.all(owners.map((owner) => parts.store.listOf(owner)));
    expect(lists.map((list) => list.map(({ id }) => id))).toEqual(ids.map((id) => [id]));
  });

  test('tells when something was created, in UTC', async () => {
    const before = Date.now();
    const spreadsheet = await parts.store.find(await insert({ rows: [] }));
    const after = Date.now();
    // The clocks of two machines may differ a little; time zones differ by a quarter of an hour at least.
    for (const at of [spreadsheet?.createdAt, spreadsheet?.returnedAt]) {
      expect(at?.getTime()).toBeGreaterThan(before - 5_000);
      expect(at?.getTime()).toBeLessThan(after + 5_000);
    }
  });

  test('lists the newest first, and labels those that exist', async () => {
    const ids: string[] = [];
    for (const title of ['one', 'two', 'three']) ids.push(await insert({ owner: 'list', title }));
    expect((await parts.store.listOf('list')).map(({ title }) => title)).toEqual(['three', 'two', 'one']);
    const labels = await parts.store.labels([...ids.slice(0, 2), randomUUID(), 'a key of another kind']);
    expect([...labels.values()].map(({ title }) => title).sort()).toEqual(['one', 'two']);
    expect((await parts.store.labels([])).size).toBe(0);
  });

  test('knows no spreadsheet under a key that is no UUID, and fails at none', async () => {
    const key = 'a key of another kind';
    expect(await parts.store.googleIdOf(key)).toBeUndefined();
    await parts.both(<Tx>(_rowlock: Rowlock<Tx>, store: SpreadsheetStore<Tx>) =>
      store.transaction((tx) =>
        store.markCreated(key, { id: 'google', url: 'https://example.com', notShared: null }, tx),
      ),
    );
  });

  test('keeps where a spreadsheet is, and why it is not shared', async () => {
    const id = await insert({});
    expect((await parts.store.find(id))?.google).toBeNull();
    const google = { id: 'google', url: 'https://example.com', notShared: 'No such account.' };
    await parts.both(<Tx>(_rowlock: Rowlock<Tx>, store: SpreadsheetStore<Tx>) =>
      store.transaction((tx) => store.markCreated(id, google, tx)),
    );
    expect((await parts.store.find(id))?.google).toEqual(google);
  });

  test('undoes what a transaction wrote that fails', async () => {
    const id = randomUUID();
    const failing = parts.both(<Tx>(_rowlock: Rowlock<Tx>, store: SpreadsheetStore<Tx>) =>
      store.transaction(async (tx) => {
        await store.insert({ id, owner: 'ada', title: 'x', columns: [], createJob: randomUUID() }, tx);
        throw new Error('no');
      }),
    );
    await expect(failing).rejects.toThrow('no');
    expect(await parts.store.find(id)).toBeUndefined();
  });

  test('a query waits while others have all connections for 5 s', async () => {
    const id = await insert({});
    const [others, over] = [Array.from({ length: 10 }), Promise.withResolvers<void>()];
    let begun = 0;
    const transactions = parts.both(<Tx>(_rowlock: Rowlock<Tx>, store: SpreadsheetStore<Tx>) =>
      others.map(() =>
        store.transaction(async () => {
          begun++;
          await over.promise;
        }),
      ),
    );
    await vi.waitFor(() => expect(begun).toBe(others.length), 30_000);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const found = parts.store.find(id);
      await vi.advanceTimersByTimeAsync(5_000);
      over.resolve();
      expect(await found).toMatchObject({ id });
    } finally {
      vi.useRealTimers();
      over.resolve();
      await Promise.all(transactions);
    }
  });

  test('a connection that is cut while a transaction is open ends that transaction, and not the process', async () => {
    const uncaught: unknown[] = [];
    const onUncaught = (error: unknown): void => void uncaught.push(error);
    process.on('uncaughtException', onUncaught);
    const id = randomUUID();
    const cut = parts.both(<Tx>(_rowlock: Rowlock<Tx>, store: SpreadsheetStore<Tx>) =>
      store.transaction(async (tx) => {
        await store.insert({ id, owner: 'ada', title: 'x', columns: [], createJob: randomUUID() }, tx);
        await database.cut(url);
      }),
    );
    await expect(cut).rejects.toThrow(DatabaseAwayError);
    // Of the pool's other connections each fails once, unless their end is noticed before.
    await vi.waitFor(async () => expect(await parts.store.find(id)).toBeUndefined(), 30_000);
    process.off('uncaughtException', onUncaught);
    expect(uncaught).toEqual([]);
  });
});
