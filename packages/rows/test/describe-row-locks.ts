import { createRowlock, defineHandler, type RunContext } from '@rowlock/core';
import type { RowCondition } from '@rowlock/core/driver';
import type { Caller, DriverHarness, TestDatabase } from '@rowlock/driver-conformance';
import { AnyJson, endProcess, gate, until, within } from '@rowlock/driver-conformance/internal';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LockRowsOptions } from '../src/lock-statement.js';
import type { TransactionsUnderTest } from './transactions-under-test.js';

type Options = LockRowsOptions<'update' | 'share'>;

/** Text that would end a value, if it were part of the statement. */
const EVIL = `'); DROP TABLE seat; -- " \` \\`;

/** That `lockRows` of a driver does what it says. A driver's own test file calls this once. */
export function describeRowLocks<Tx, Pool>(under: TransactionsUnderTest<Tx, Pool>): void {
  const { lockRows } = under;

  describe(`lockRows, ${under.name}`, () => {
    let harness: DriverHarness<Tx>;
    let database: TestDatabase<Tx>;
    let pool: Pool;
    const callers: Caller<Tx>[] = [];

    beforeAll(async () => {
      harness = await under.open();
      database = await harness.database();
      pool = under.pool(database.url, 6);
      const { exec } = database.reader;
      await exec('CREATE TABLE seat (id INT PRIMARY KEY, name VARCHAR(100), taken INT)');
      await exec('CREATE TABLE orders (id INT PRIMARY KEY, due INT NOT NULL)');
      await exec('CREATE TABLE line (order_id INT NOT NULL, amount INT NOT NULL)');
    });
    beforeEach(async () => {
      const { exec } = database.reader;
      for (const table of ['seat', 'orders', 'line']) await exec(`DELETE FROM ${table}`);
      await exec("INSERT INTO seat VALUES (1, 'a', NULL), (2, 'b', 7), (3, 'c', NULL), (4, NULL, 8)");
      await exec('INSERT INTO orders VALUES (1, 0)');
    });
    afterAll(async () => {
      await under.end(pool);
      await database.close();
      await harness.close();
    });

    /** Transactions of the plain client, which are rolled back after the work. */
    const withCallers = async (work: (a: Tx, b: Tx, commit: () => Promise<void>) => Promise<void>) => {
      const [a, b] = [await database.caller(), await database.caller()];
      callers.push(a, b);
      try {
        await work(a.tx, b.tx, () => a.commit());
      } finally {
        for (const caller of callers.splice(0)) await caller.rollback();
      }
    };
    const ids = async (tx: Tx, where: RowCondition, options: Options = {}) =>
      (await lockRows(tx, 'seat', where, { order: { id: 'asc' }, ...options })).map(({ id }) => id);
    const somebodyWaits = () => until('a session waits', async () => (await database.waits()).length > 0);

    test('rows are found by equality, by lists, and by NULL', () =>
      withCallers(async (tx) => {
        expect(await lockRows(tx, 'seat', { id: 2 })).toEqual([{ id: 2, name: 'b', taken: 7 }]);
        expect(await ids(tx, { id: 2n })).toEqual([2]);
        expect(await ids(tx, { name: 'a' })).toEqual([1]);
        expect(await ids(tx, { taken: null })).toEqual([1, 3]);
        expect(await ids(tx, { id: [1, 2, 4] })).toEqual([1, 2, 4]);
        expect(await ids(tx, { taken: [7, null] })).toEqual([1, 2, 3]);
        expect(await ids(tx, { taken: [null] })).toEqual([1, 3]);
        expect(await ids(tx, { id: [1, 2, 3], taken: null })).toEqual([1, 3]);
        expect(await ids(tx, { id: [] })).toEqual([]);
        expect(await ids(tx, { id: 9 })).toEqual([]);
      }));

    test('rows come in their order, and no more of them than the limit', () =>
      withCallers(async (tx) => {
        expect(await ids(tx, { id: [1, 2, 3, 4] }, { order: { id: 'desc' }, limit: 2 })).toEqual([4, 3]);
        expect(await ids(tx, { taken: [7, 8] }, { order: { taken: 'desc', id: 'asc' } })).toEqual([4, 2]);
        expect(await ids(tx, {}, { limit: 3 })).toEqual([1, 2, 3]);
      }));

    test('a value is a value, whatever is in it, and so is a name', async () => {
      await database.reader.exec("UPDATE seat SET name = '%' WHERE id = 4");
      await withCallers(async (tx) => {
        expect(await ids(tx, { name: EVIL })).toEqual([]);
        expect(await ids(tx, { name: [EVIL, '%'] })).toEqual([4]);
        expect(await ids(tx, { name: "' OR ''='" })).toEqual([]);
      });
      for (const [table, where, order] of [
        [EVIL, { id: 1 }, {}],
        ['seat', { [EVIL]: 1 }, {}],
        ['seat', { id: 1 }, { [EVIL]: 'asc' as const }],
        ['seat" --', { id: 1 }, {}],
      ] as const)
        await withCallers(async (tx) => {
          await expect(lockRows(tx, table, where, { order })).rejects.toMatchObject({
            code: 'InvalidInput',
            message: expect.stringMatching(/^The table or one of its columns is not there/),
          });
        });
      expect(await database.reader.exec('SELECT id FROM seat')).toHaveLength(4);
    });

    test('an odd name is quoted, and a name with its schema is one, too', async () => {
      const name = new URL(database.url).pathname.slice(1);
      // Another test's database of this server may have a table of this name, too.
      const [{ schema = '' } = {}] = await database.reader.exec(
        `SELECT table_schema AS ${under.name === 'postgres' ? '"schema"' : '`schema`'} FROM information_schema.tables
         WHERE table_name = 'seat' AND table_schema IN ('${name}', 'public')`,
      );
      const schemas = [String(schema)];
      expect([name, 'public']).toContain(schemas[0]);
      await withCallers(async (tx) => {
        for (const table of [`${schemas[0]}.seat`, [...schemas, 'seat'], ['seat']])
          expect(await lockRows(tx, table, { id: 1 })).toHaveLength(1);
      });
    });

    test('what no column can equal is refused, and nothing is sent', async () => {
      const wrong: [RowCondition, Options][] = [
        [{}, {}],
        [JSON.parse('{}', () => ({ id: undefined })), {}],
        [JSON.parse('{}', () => ({ id: { gt: 1 } })), {}],
        [JSON.parse('{}', () => ({ id: [[1]] })), {}],
        [{ id: new Date(Number.NaN) }, {}],
        [{ id: 1 }, { limit: 0 }],
        [{ id: 1 }, { limit: 10_001 }],
        [{ id: 1 }, JSON.parse('{ "wait": "no" }')],
        [{ id: 1 }, JSON.parse('{ "order": { "id": "asc; DROP TABLE seat" } }')],
        [{ id: 1 }, JSON.parse('{ "strength": "exclusive" }')],
      ];
      for (const [where, options] of wrong)
        await withCallers(async (tx) => {
          const call = lockRows(tx, 'seat', where, options);
          await expect(call).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
          expect(await ids(tx, { id: 1 })).toEqual([1]);
        });
    });

    test('outside of a transaction nothing can be locked, so the call is refused', async () => {
      const over = await database.caller();
      await over.commit();
      await expect(lockRows(over.tx, 'seat', { id: 1 })).rejects.toMatchObject({ code: 'TransactionOver' });
    });

    for (const [held, asked, isRefused] of [
      ['update', 'update', true],
      ['update', 'share', true],
      ['share', 'update', true],
      ['share', 'share', false],
    ] as const) {
      test(`nowait: a row with the lock ${held} ${isRefused ? 'refuses' : 'takes'} the lock ${asked}`, () =>
        withCallers(async (a, b) => {
          await lockRows(a, 'seat', { id: 1 }, { strength: held });
          const call = lockRows(b, 'seat', { id: 1 }, { strength: asked, wait: 'nowait' });
          if (isRefused)
            await expect(call).rejects.toMatchObject({ name: 'DriverError', code: 'LockNotAvailable' });
          else expect(await call).toHaveLength(1);
        }));
    }

    test('skipLocked leaves out the rows that another has', () =>
      withCallers(async (a, b) => {
        expect(await ids(a, { taken: null }, { limit: 1 })).toEqual([1]);
        const rest = await ids(b, { id: [1, 2, 3, 4] }, { wait: 'skipLocked', limit: 2 });
        expect(rest).toEqual([2, 3]);
      }));

    test('a call that waits gets the row as it is after the end of the other', () =>
      withCallers(async (a, b, commit) => {
        await lockRows(a, 'seat', { id: 1 });
        const waits = lockRows(b, 'seat', { id: 1 });
        await somebodyWaits();
        await database.run(a, "UPDATE seat SET name = 'changed' WHERE id = 1");
        await commit();
        expect(await within('the lock', waits)).toEqual([{ id: 1, name: 'changed', taken: null }]);
      }));

    for (const claim of ['hold', 'lease'] as const) {
      test(`a handler locks rows through its tx until its job is settled, with ${claim}`, async () => {
        const process = await database.process();
        const [isLocked, finish] = [gate(), gate()];
        try {
          await process.driver.schema.migrate();
          const Reserve = defineHandler({
            kind: `reserve-${claim}`,
            queue: `reserve-${claim}`,
            payload: AnyJson,
            claim,
            async run({ tx }: RunContext<unknown, Tx>) {
              const [seat] = await lockRows(tx, 'seat', { id: 1 });
              isLocked.open();
              await finish.promise;
              return { name: String(seat?.name) };
            },
          });
          const rowlock = createRowlock({ driver: process.driver, handlers: [Reserve] });
          const worker = rowlock.worker({ pollInterval: '1h' });
          await rowlock.enqueue(Reserve, { payload: 0 });
          await worker.start();
          await within('the lock', isLocked.promise);
          await withCallers(async (tx) => {
            expect(await ids(tx, { id: [1, 2] }, { wait: 'skipLocked' })).toEqual([2]);
          });
          const settled = new Promise<void>((resolve) => worker.on('settled', () => resolve()));
          finish.open();
          await within('the settlement', settled);
          await withCallers(async (tx) => {
            expect(await ids(tx, { id: [1, 2] }, { wait: 'skipLocked' })).toEqual([1, 2]);
          });
          const [job] = await database.reader.jobs(`reserve-${claim}`);
          expect(job).toMatchObject({ status: 'complete', output: { name: 'a' } });
          await worker.stop();
          await rowlock.jobs.flush();
        } finally {
          finish.open();
          await endProcess(process);
        }
      });
    }

    /** Adds a line of 1000 to the order, and writes the sum of its lines. `seen` is awaited between the read and the write. */
    const addLine = (tx: Tx, lock: boolean, seen: () => Promise<void>) => async () => {
      if (lock) await lockRows(tx, 'orders', { id: 1 });
      const lines = await database.run(tx, 'SELECT amount FROM line WHERE order_id = 1');
      await seen();
      const due = 1_000 + lines.reduce((sum, { amount }) => sum + Number(amount), 0);
      await database.run(tx, 'INSERT INTO line VALUES (1, 1000)');
      await database.run(tx, `UPDATE orders SET due = ${due} WHERE id = 1`);
    };
    const due = async () => Number((await database.reader.exec('SELECT due FROM orders'))[0]?.due);

    test('the total of an order, the wrong way: both read before either writes, and a line is lost', async () => {
      const both = [gate(), gate()];
      const request = (own: 0 | 1) =>
        under.transaction(pool, (tx) =>
          addLine(tx, false, async () => {
            both[own]?.open();
            await both[1 - own]?.promise;
          })(),
        );
      await within('both requests', Promise.all([request(0), request(1)]));
      expect(await due()).toBe(1_000);
      expect(await database.reader.exec('SELECT amount FROM line')).toHaveLength(2);
    });

    test('the total of an order, the right way: the second waits for the first, and reads its line', async () => {
      const [hasRead, goOn] = [gate(), gate()];
      const first = under.transaction(pool, (tx) =>
        addLine(tx, true, async () => {
          hasRead.open();
          await goOn.promise;
        })(),
      );
      await within('the first has read', hasRead.promise);
      const second = under.transaction(pool, (tx) => addLine(tx, true, async () => {})());
      await somebodyWaits();
      goOn.open();
      await within('both requests', Promise.all([first, second]));
      expect(await due()).toBe(2_000);
    });
  });
}
