import { createRowlock, DriverError } from '@rowlock/core';
import type { DriverHarness, TestDatabase } from '@rowlock/driver-conformance';
import { AnyJson, endProcess, gate, until, within } from '@rowlock/driver-conformance/internal';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TransactionOptions } from '../src/repeat-transaction.js';
import { type CutAt, commitCutter } from './commit-cutter.js';
import type { TransactionsUnderTest } from './transactions-under-test.js';

const failure = new Error('It failed.');

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

/** What a server's error is, however deep: the code of Postgres, or the number of MySQL. */
const DEADLOCK = { code: 'Deadlock' };

/** That `transaction` of a driver does what it says. A driver's own test file calls this once. */
export function describeTransactions<Tx, Pool>(under: TransactionsUnderTest<Tx, Pool>): void {
  const { lockRows } = under;

  describe(`transaction, ${under.name}`, () => {
    let harness: DriverHarness<Tx>;
    let database: TestDatabase<Tx>;
    let pool: Pool;

    beforeAll(async () => {
      harness = await under.open();
      database = await harness.database();
      await database.reader.exec('CREATE TABLE account (id INT PRIMARY KEY, amount INT NOT NULL)');
      await database.reader.exec('CREATE TABLE entry (amount INT NOT NULL)');
    });
    beforeEach(async () => {
      await database.reader.exec('DELETE FROM account');
      await database.reader.exec('DELETE FROM entry');
      await database.reader.exec('INSERT INTO account VALUES (1, 0), (2, 0)');
      pool = under.pool(database.url, 4);
    });
    afterEach(() => within('the end of the pool', under.end(pool)));
    afterAll(async () => {
      await database.close();
      await harness.close();
    });

    const transaction = <Result>(
      work: (tx: Tx) => Result | PromiseLike<Result>,
      options?: TransactionOptions,
    ): Promise<Result> => within('the transaction', under.transaction(pool, work, options));
    const add = (tx: Tx, id: number) =>
      database.run(tx, `UPDATE account SET amount = amount + 1 WHERE id = ${id}`);
    const amounts = async () =>
      (await database.reader.exec('SELECT amount FROM account ORDER BY id')).map(({ amount }) =>
        Number(amount),
      );
    const entries = async () =>
      (await database.reader.exec('SELECT amount FROM entry ORDER BY amount')).map(({ amount }) =>
        Number(amount),
      );
    const somebodyWaits = () => until('a session waits', async () => (await database.waits()).length > 0);

    test('commits what the work has written, and returns its result', async () => {
      const result = await transaction(async (tx) => {
        await add(tx, 1);
        expect(await amounts()).toEqual([0, 0]);
        return 'done';
      });
      expect([result, ...(await amounts())]).toEqual(['done', 1, 0]);
    });

    test('rolls back where the work throws, rejects with that, and gives the connection back', async () => {
      await under.end(pool);
      pool = under.pool(database.url, 1);
      for (const throws of [() => Promise.reject(failure), () => Promise.reject('no error')])
        await expect(
          transaction(async (tx) => {
            await add(tx, 1);
            await throws();
          }),
        ).rejects.toBe(await throws().catch((error: unknown) => error));
      await transaction((tx) => add(tx, 2));
      expect(await amounts()).toEqual([0, 1]);
    });

    test('two that wait for each other are both done in the end, and the one that was ended is repeated', async () => {
      const [both, attempts] = [
        [gate(), gate()],
        [0, 0],
      ];
      const work = (own: 0 | 1) =>
        transaction(async (tx) => {
          attempts[own] = (attempts[own] ?? 0) + 1;
          await add(tx, 1 + own);
          both[own]?.open();
          await both[1 - own]?.promise;
          await add(tx, 2 - own);
        });
      await Promise.all([work(0), work(1)]);
      expect(await amounts()).toEqual([2, 2]);
      // A repeat may come before the other is woken, and meet it again.
      expect(sum(attempts)).toBeGreaterThan(2);
    });

    test('a deadlock that the work has caught and passed over is repeated, too', async () => {
      const [both, attempts] = [
        [gate(), gate()],
        [0, 0],
      ];
      const work = (own: 0 | 1) =>
        transaction(async (tx) => {
          attempts[own] = (attempts[own] ?? 0) + 1;
          await add(tx, 1 + own);
          both[own]?.open();
          await both[1 - own]?.promise;
          await add(tx, 2 - own).catch(() => {});
          await database.run(tx, 'INSERT INTO entry VALUES (1)').catch(() => {});
        });
      await Promise.all([work(0), work(1)]);
      expect(await amounts()).toEqual([2, 2]);
      expect(await entries()).toEqual([1, 1]);
      expect(sum(attempts)).toBeGreaterThan(2);
    });

    test('with no retries a deadlock rejects the one that was ended', async () => {
      const both = [gate(), gate()];
      const work = (own: 0 | 1) =>
        transaction(
          async (tx) => {
            await lockRows(tx, 'account', { id: 1 + own });
            both[own]?.open();
            await both[1 - own]?.promise;
            await lockRows(tx, 'account', { id: 2 - own });
            await add(tx, 1);
          },
          { retries: 0 },
        );
      const ends = await Promise.allSettled([work(0), work(1)]);
      expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(ends).toContainEqual({ status: 'rejected', reason: expect.objectContaining(DEADLOCK) });
      expect(await amounts()).toEqual([1, 0]);
    });

    test('the repeats are bounded, and an error that has the deadlock as its cause counts', async () => {
      for (const made of [
        () => new DriverError('Deadlock', 'Again.'),
        () => new Error('of a library', { cause: new DriverError('SerializationFailure', 'Again.') }),
      ]) {
        let attempts = 0;
        const always = async (tx: Tx) => {
          attempts += 1;
          await add(tx, 1);
          throw made();
        };
        await expect(transaction(always, { retries: 2 })).rejects.toThrow(made().message);
        expect(attempts).toBe(3);
      }
      expect(await amounts()).toEqual([0, 0]);
    });

    test('no other error is repeated', async () => {
      let attempts = 0;
      const twice = async (tx: Tx) => {
        attempts += 1;
        await add(tx, 2);
        await database.run(tx, 'INSERT INTO account VALUES (1, 0)');
      };
      await expect(transaction(twice)).rejects.toThrow(/duplicate/i);
      expect(attempts).toBe(1);
      expect(await amounts()).toEqual([0, 0]);
    });

    test('two serializable ones, of which each reads what the other changes, come one after the other', async () => {
      const both = [gate(), gate()];
      const work = (own: 0 | 1) =>
        transaction(
          async (tx) => {
            const rows = await database.run(tx, 'SELECT amount FROM entry');
            both[own]?.open();
            await both[1 - own]?.promise;
            await database.run(tx, `INSERT INTO entry VALUES (${rows.length})`);
          },
          { isolation: 'serializable' },
        );
      await Promise.all([work(0), work(1)]);
      expect(await entries()).toEqual([0, 1]);
    });

    for (const [cutAt, committed] of [
      ['the way there', 0],
      ['the way back', 1],
    ] as const satisfies readonly [CutAt, number][]) {
      test(`a COMMIT that is lost on ${cutAt} rejects with CommitUnknown, and is not repeated`, async () => {
        const cutter = await commitCutter(database.url, cutAt);
        const through = under.pool(cutter.url, 2);
        let attempts = 0;
        try {
          const done = under.transaction(through, async (tx) => {
            attempts += 1;
            await add(tx, 1);
          });
          await expect(within('the transaction', done)).rejects.toMatchObject({
            name: 'DriverError',
            code: 'CommitUnknown',
            isRetryable: false,
          });
        } finally {
          await under.end(through);
          await cutter.close();
        }
        expect(attempts).toBe(1);
        await until('the server has ended it', async () => (await amounts())[0] === committed);
      });
    }

    test('a signal that is aborted before begins nothing', async () => {
      let attempts = 0;
      const work = () => {
        attempts += 1;
      };
      await expect(transaction(work, { signal: AbortSignal.abort(failure) })).rejects.toBe(failure);
      expect(attempts).toBe(0);
    });

    test('a signal ends a wait for a lock, and nothing is committed', async () => {
      const other = await database.caller();
      try {
        await add(other.tx, 1);
        const stop = new AbortController();
        const work = async (tx: Tx) => {
          await add(tx, 2);
          await add(tx, 1);
        };
        const done = transaction(work, { signal: stop.signal });
        done.catch(() => {});
        await somebodyWaits();
        stop.abort(failure);
        await expect(done).rejects.toBe(failure);
      } finally {
        await other.rollback();
      }
      await until('the server has ended it', async () => {
        await transaction((tx) => lockRows(tx, 'account', { id: [1, 2] }, { order: { id: 'asc' } }));
        return true;
      });
      expect(await amounts()).toEqual([0, 0]);
    });

    test('a signal that is aborted while the work is done keeps it from being committed', async () => {
      const stop = new AbortController();
      const work = async (tx: Tx) => {
        await add(tx, 1);
        stop.abort(failure);
      };
      await expect(transaction(work, { signal: stop.signal })).rejects.toBe(failure);
      expect(await amounts()).toEqual([0, 0]);
    });

    test('a signal ends the pause between two attempts', async () => {
      const stop = new AbortController();
      let attempts = 0;
      const work = () => {
        attempts += 1;
        // By then the attempt has ended.
        setImmediate(() => setImmediate(() => stop.abort(failure)));
        throw new DriverError('Deadlock', 'Again.');
      };
      await expect(transaction(work, { retries: 100, signal: stop.signal })).rejects.toBe(failure);
      expect(attempts).toBeGreaterThan(0);
    });

    test('a statement after the end is refused', async () => {
      const kept: Tx[] = [];
      await transaction((tx) => void kept.push(tx));
      await transaction((tx) => {
        kept.push(tx);
        throw failure;
      }).catch(() => {});
      for (const tx of kept) await expect(add(tx, 1)).rejects.toMatchObject({ code: 'TransactionOver' });
      expect(kept).toHaveLength(2);
      expect(await amounts()).toEqual([0, 0]);
    });

    test('a COMMIT, a ROLLBACK or a BEGIN through its tx is refused before it is sent', async () => {
      let attempts = 0;
      const work = async (tx: Tx) => {
        attempts += 1;
        await add(tx, 1);
        for (const statement of ['COMMIT', '/* now */ ROLLBACK', 'BEGIN', 'START TRANSACTION'])
          await expect(database.run(tx, statement)).rejects.toMatchObject({
            code: 'InvalidInput',
            message: expect.stringContaining('SAVEPOINT'),
          });
        await database.run(tx, 'SAVEPOINT own');
        await add(tx, 2);
        await database.run(tx, 'ROLLBACK TO SAVEPOINT own');
        expect(await amounts()).toEqual([0, 0]);
      };
      await transaction(work);
      expect(attempts).toBe(1);
      expect(await amounts()).toEqual([1, 0]);
    });

    test('jobs that are enqueued through its tx are there if, and only if, it commits', async () => {
      const process = await database.process();
      try {
        await process.driver.schema.migrate();
        const rowlock = createRowlock({ driver: process.driver });
        const Work = { kind: 'work', queue: 'transactions', payload: AnyJson };
        const work = (payload: string, throws: boolean) =>
          transaction(async (tx) => {
            await add(tx, 1);
            await rowlock.enqueue(Work, { payload }, { tx });
            await rowlock.enqueue(Work, { payload, unique: payload }, { tx });
            if (throws) throw failure;
          });
        await work('committed', false);
        await expect(work('rolled back', true)).rejects.toBe(failure);
        await rowlock.jobs.flush();
        const jobs = await database.reader.jobs('transactions');
        expect(jobs.map(({ payload }) => payload)).toEqual(['committed', 'committed']);
        expect(await amounts()).toEqual([1, 0]);
      } finally {
        await endProcess(process);
      }
    });

    test('options of the wrong form are refused', async () => {
      const wrong: TransactionOptions[] = [
        { retries: -1 },
        { retries: 1.5 },
        { retries: 101 },
        JSON.parse('{ "isolation": "snapshot" }'),
      ];
      for (const options of wrong)
        await expect(transaction(() => {}, options)).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
      const call = under.transaction(JSON.parse('{}'), () => {});
      await expect(call).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
    });
  });
}
