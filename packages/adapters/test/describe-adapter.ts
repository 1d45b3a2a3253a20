import {
  createRowlock,
  type DefineHandler,
  defineCapture,
  defineHandler,
  increment,
  type Rowlock,
} from '@rowlock/core';
import type { AdaptedTransaction } from '@rowlock/core/driver';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Handle } from '../src/handle.js';
import { DATABASES, type Reader } from './databases.js';

const define: DefineHandler<Handle> = defineHandler;

const Anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;
const Work = { kind: 'work', payload: Anything };
const OVER = { code: 'TransactionOver' };

/** What a test does with an ORM's transaction, or with a handler's. */
export interface OwnTransaction {
  /** As Rowlock takes it. */
  readonly tx: AdaptedTransaction;
  /** Adds an order through the ORM. */
  insert(id: number): Promise<unknown>;
}

export interface OnHandle {
  insert(id: number): Promise<unknown>;
  count(): Promise<number>;
  /** The ORM's `transaction()` within the claim's. */
  nested(work: (own: OwnTransaction) => Promise<void>): Promise<void>;
  /** The same with an isolation level. Left out where the ORM itself passes over it. */
  serializable?(work: (own: OwnTransaction) => Promise<void>): Promise<void>;
  /** Reads the orders as a stream. Left out where the ORM has none, or needs another package for it. */
  stream?(): Promise<unknown>;
  /** What would begin or end a transaction of the ORM's own. */
  readonly ends?: Readonly<Record<string, () => unknown>>;
}

export interface Orm {
  /** The ORM's `transaction()`. */
  transaction(work: (own: OwnTransaction) => Promise<void>): Promise<void>;
  /** Calls of the adapter with what is no transaction. */
  readonly mistakes: Readonly<Record<string, () => unknown>>;
  /** A handler's `tx` as the ORM's. Left out where there is no way. */
  readonly on?: (tx: Handle) => Promise<OnHandle> | OnHandle;
  close(): Promise<unknown>;
}

type Database = keyof typeof DATABASES;

/** Reads a stream to its end. */
export async function drained(rows: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of rows);
}

/** What an error says, and those that it wraps. */
function sentences(thrown: unknown): string {
  const { message, cause } = Object(thrown);
  return cause === undefined ? String(message) : `${message} ${sentences(cause)}`;
}

const ORDERS = 'CREATE TABLE orders (id INT PRIMARY KEY)';

/** The tests that each adapter has, on a database. @param name Of the adapter: `Drizzle` is `fromDrizzle` and `onDrizzle`. */
export function describeAdapter(
  name: string,
  database: Database,
  open: (url: string) => Promise<Orm> | Orm,
): void {
  const subject = DATABASES[database];
  const captured = defineCapture({
    name: 'orders',
    table: 'orders',
    id: ['id'],
    kind: 'order.changed',
    queue: 'captured',
  });

  describe(`${name} on ${database}`, () => {
    let fresh: { readonly url: string; drop(): Promise<void> };
    let reader: Reader;
    let rowlock: Rowlock<Handle>;
    let other: Rowlock<Handle>;
    let orm: Orm;
    let act: (tx: Handle) => Promise<unknown>;

    const Act = define({
      kind: 'act',
      queue: 'acts',
      attempts: 1,
      payload: Anything,
      run: async ({ tx }) => {
        await act(tx);
      },
    });

    beforeAll(async () => {
      fresh = await subject.fresh();
      reader = await subject.reader(fresh.url);
      await reader.rows(ORDERS);
      const log = { debug() {}, info() {}, warn() {}, error() {} };
      rowlock = createRowlock({
        driver: subject.driver(fresh.url),
        handlers: [Act],
        captures: [captured],
        log,
      });
      other = createRowlock({ driver: otherDriver(), handlers: [], log });
      await rowlock.migrate();
      await rowlock.captures.apply();
      orm = await open(fresh.url);
    });

    afterAll(async () => {
      await orm?.close();
      await other?.close();
      await rowlock?.close();
      await reader?.end();
      await fresh?.drop();
    });

    /** Nothing listens there: what is refused is refused before anything is sent. */
    const otherDriver = () =>
      database === 'mysql'
        ? DATABASES.postgres.driver('postgres://nobody@127.0.0.1:1/none')
        : DATABASES.mysql.driver('mysql://nobody@127.0.0.1:1/none');

    async function payloads(): Promise<readonly unknown[]> {
      const rows = await reader.rows(`SELECT payload FROM ${subject.job} WHERE kind = 'work' ORDER BY id`);
      return rows.map(({ payload }) => payload);
    }

    async function orders(): Promise<readonly unknown[]> {
      return (await reader.rows('SELECT id FROM orders ORDER BY id')).map(({ id }) => id);
    }

    /** Runs a handler, and returns the job's state. */
    async function handled(run: (tx: Handle) => Promise<unknown>) {
      act = run;
      const { publicId } = await rowlock.enqueue(Act, { payload: null });
      return rowlock.settled(publicId, { timeout: '60s' });
    }

    test('jobs are committed with the transaction, in every call', async () => {
      const stored = { text: `it's "a" \\ ? $1 :x \u{1F512}`, list: [1, null] };
      const before = (await payloads()).length;
      await orm.transaction(async ({ tx, insert }) => {
        await insert(1);
        const { publicId } = await rowlock.enqueue(
          Work,
          { payload: stored, unique: 'once', key: 'k' },
          { tx },
        );
        expect(await rowlock.enqueue(Work, { payload: 2, unique: 'once' }, { tx })).toEqual({
          outcome: 'duplicate',
          publicId,
        });
        const [, last] = await rowlock.enqueueMany(
          Work,
          [{ payload: 'two' }, { payload: 'three', delay: '1h' }],
          { tx },
        );
        expect(await rowlock.find(publicId, { tx })).toMatchObject({
          payload: stored,
          key: 'k',
          createdAt: expect.any(Date),
        });
        expect((await rowlock.jobs.list({ kind: 'work', status: 'new' }, { tx })).jobs).toHaveLength(3);
        expect(await rowlock.jobs.count({ kind: 'work' }, { tx })).toMatchObject({ count: 3 });
        expect(await rowlock.cancel(last?.publicId ?? '', { tx })).toBe('cancelled');
        await rowlock.redrive(last?.publicId ?? '', { tx });
        await rowlock.schedules.set('hourly', { handler: Work, payload: 1, every: '1h' }, { tx });
        await rowlock.schedules.pause('hourly', { tx });
        await rowlock.schedules.pause('hourly', { tx });
        await rowlock.schedules.resume('hourly', { tx });
        expect(await rowlock.schedules.remove('hourly', { tx })).toBe(true);
        await rowlock.jobs.pause({ queue: 'paused' }, {}, { tx });
        expect(await rowlock.jobs.pauses({ tx })).toMatchObject([{ scope: 'queue', name: 'paused' }]);
        await rowlock.jobs.resume({ queue: 'paused' }, { tx });
        expect(await payloads()).toHaveLength(before);
      });
      expect(await payloads()).toEqual([stored, 'two', 'three']);
      expect(await orders()).toEqual([1]);
    });

    test('jobs are rolled back with the transaction', async () => {
      const before = await payloads();
      const refused = orm.transaction(async ({ tx, insert }) => {
        await insert(2);
        await rowlock.enqueue(Work, { payload: 'undone', unique: 'undone' }, { tx });
        await rowlock.enqueueMany(Work, [{ payload: 'undone' }, { payload: 'undone' }], { tx });
        throw new Error('undone');
      });
      await expect(refused).rejects.toThrow('undone');
      expect(await payloads()).toEqual(before);
      expect(await orders()).not.toContain(2);
    });

    test('what the ORM writes is captured', async () => {
      await orm.transaction(async ({ insert }) => {
        await insert(3);
      });
      const [row] = await reader.rows(
        `SELECT count(*) AS jobs FROM ${subject.job} WHERE kind = 'order.changed' AND ${quoted('key')} = '3'`,
      );
      expect(Number(row?.jobs)).toBe(1);
    });

    const quoted = (column: string): string => (database === 'mysql' ? `\`${column}\`` : column);

    test.each(['commit', 'roll back'])(
      'a call that is not awaited, in a transaction that is to %s, is in it or is refused',
      async (end) => {
        let call: Promise<unknown> | undefined;
        await orm
          .transaction(async ({ tx }) => {
            call = rowlock.enqueue(Work, { payload: end }, { tx });
            call.catch(() => {});
            if (end === 'roll back') throw new Error('undone');
          })
          .catch(() => {});
        const outcome = await call?.then(
          () => 'in it',
          (error: unknown) => {
            expect(error).toMatchObject(OVER);
            return 'refused';
          },
        );
        const isThere = (await payloads()).includes(end);
        expect(isThere).toBe(end === 'commit' && outcome === 'in it');
      },
    );

    test('a transaction that is over is refused', async () => {
      let kept: AdaptedTransaction | undefined;
      await orm.transaction(async ({ tx, insert }) => {
        kept = tx;
        await insert(4);
        await rowlock.enqueue(Work, { payload: 'in time' }, { tx });
      });
      if (kept === undefined) throw new Error('There was no transaction.');
      await expect(rowlock.enqueue(Work, { payload: 'late' }, { tx: kept })).rejects.toMatchObject(OVER);
      expect(await payloads()).not.toContain('late');
    });

    test('what is no transaction is refused in a sentence with the name of the adapter', () => {
      expect(Object.keys(orm.mistakes)).not.toEqual([]);
      for (const [mistake, call] of Object.entries(orm.mistakes))
        expect(call, mistake).toThrow(
          expect.objectContaining({
            code: 'ROWLOCK_INVALID_INPUT',
            message: expect.stringMatching(new RegExp(`^(?:from|on)${name}\\(\\) takes`)),
          }),
        );
    });

    test("a transaction of the other database's is refused in a sentence with the name of the adapter", async () => {
      await orm.transaction(async ({ tx, insert }) => {
        await insert(5);
        await expect(other.enqueue(Work, { payload: 'lost' }, { tx })).rejects.toMatchObject({
          code: 'InvalidInput',
          message: expect.stringContaining(`from${name}()`),
        });
      });
    });

    test("a handler writes through the ORM in the claim's transaction", async ({ skip }) => {
      skip(
        orm.on === undefined,
        'this client is none of a driver of Rowlock, or the ORM has no public way onto a connection: docs/use/orms.md',
      );
      const worker = rowlock.worker({ concurrency: 1 });
      await worker.start();
      const done = await handled(async (tx) => {
        const on = await orm.on?.(tx);
        await on?.insert(10);
        expect(await on?.count()).toBeGreaterThan(0);
        expect(await orders()).not.toContain(10);
        await on?.nested(async ({ insert, tx: own }) => {
          await insert(11);
          await rowlock.enqueue(Work, { payload: 'from within' }, { tx: own });
        });
        const undone = on?.nested(async ({ insert, tx: own }) => {
          await insert(12);
          await rowlock.enqueue(Work, { payload: 'undone within' }, { tx: own });
          throw new Error('undone');
        });
        await expect(undone).rejects.toThrow('undone');
        await on?.insert(13);
        const again = await orm.on?.(tx);
        await again?.nested(async ({ insert }) => {
          await insert(14);
        });
        expect(await orders()).not.toContain(11);
      });
      expect(done).toMatchObject({ status: 'complete' });
      expect(await orders()).toEqual(expect.arrayContaining([10, 11, 13, 14]));
      expect(await orders()).not.toContain(12);
      expect(await payloads()).toContain('from within');
      expect(await payloads()).not.toContain('undone within');
      const failed = await handled(async (tx) => {
        const on = await orm.on?.(tx);
        await on?.nested(async ({ insert }) => {
          await insert(20);
        });
        throw new Error('undone');
      });
      expect(failed).toMatchObject({ status: 'error' });
      expect(await orders()).not.toContain(20);
      await worker.stop();
    });

    test("an update is refused with the reason, which is in the server's error", async () => {
      const { publicId } = await rowlock.enqueue(Work, { payload: 'refused', metadata: { n: 'text' } });
      const refused = orm.transaction(async ({ tx }) => {
        await rowlock.jobs.updateMetadata(publicId, [increment('n')], { tx });
      });
      await expect(refused).rejects.toMatchObject({
        code: 'ROWLOCK_UPDATE_REFUSED',
        message: expect.stringContaining('is not a number'),
      });
    });

    /** Runs a handler that uses the ORM, to its end. */
    async function handledBy(run: (on: OnHandle) => Promise<unknown>) {
      const worker = rowlock.worker({ concurrency: 1 });
      await worker.start();
      const done = await handled(async (tx) => {
        const on = await orm.on?.(tx);
        if (on !== undefined) await run(on);
      });
      await worker.stop();
      return done;
    }

    test('a transaction with a mode is refused in a sentence, and the handler goes on', async ({ skip }) => {
      let refusal: unknown;
      const done = await handledBy(async (on) => {
        await on.insert(30);
        refusal = await on.serializable?.(async ({ insert }) => void (await insert(31))).catch(sentences);
        await on.insert(32);
        await on.nested(async ({ insert }) => void (await insert(33)));
      });
      skip(refusal === undefined, 'the ORM has no way, or passes over the mode');
      expect(refusal).toMatch(/isolation level and access mode.*without isolation level serializable/i);
      expect(done).toMatchObject({ status: 'complete' });
      expect(await orders()).toEqual(expect.arrayContaining([30, 32, 33]));
      expect(await orders()).not.toContain(31);
    });

    test('of two transactions at once, what one has written is there if, and only if, it has ended well', async ({
      skip,
    }) => {
      skip(name === 'TypeORM', 'a manager of it has the state of one transaction, also without Rowlock');
      const settled: PromiseSettledResult<void>[] = [];
      const done = await handledBy(async (on) => {
        const one = on.nested(async ({ insert }) => {
          for (const id of [40, 41, 42]) await insert(id);
        });
        const other = on.nested(async ({ insert }) => {
          for (const id of [50, 51]) await insert(id);
          throw new Error('undone');
        });
        settled.push(...(await Promise.allSettled([one, other])));
        await on.nested(async ({ insert }) => void (await insert(60)));
      });
      expect(done).toMatchObject({ status: 'complete' });
      const there = (await orders()).filter((id) => Number(id) >= 40 && Number(id) <= 60);
      if (orm.on !== undefined) {
        expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
        expect(there).toEqual([40, 41, 42, 60]);
      }
    });

    test('a stream is refused in a sentence, and the handler goes on', async ({ skip }) => {
      let refusal: unknown;
      const done = await handledBy(async (on) => {
        refusal = await on.stream?.().catch(sentences);
        await on.insert(70);
      });
      skip(refusal === undefined, 'the ORM has no way, or needs another package');
      expect(refusal).toMatch(/no cursors and no streams/);
      expect(done).toMatchObject({ status: 'complete' });
      expect(await orders()).toContain(70);
    });

    test("a begin or an end of the claim's own transaction is refused in a sentence, and the handler goes on", async ({
      skip,
    }) => {
      const refusals: unknown[] = [];
      const done = await handledBy(async (on) => {
        await on.insert(80);
        for (const end of Object.values(on.ends ?? {}))
          refusals.push(await (async () => end())().then(() => 'sent', sentences));
        await on.insert(81);
      });
      skip(refusals.length === 0, 'the ORM has no such call on what it gets');
      for (const refusal of refusals) expect(refusal).toMatch(/savepoint/i);
      expect(done).toMatchObject({ status: 'complete' });
      expect(await orders()).toEqual(expect.arrayContaining([80, 81]));
    });

    test("a connection with an open transaction stands for a handler's tx, as in a test of the handler", async ({
      skip,
    }) => {
      skip(orm.on === undefined, 'the ORM has no way');
      const { tx, run, end } = await subject.connection(fresh.url);
      onTestFinished(end);
      if (database === 'postgres') await expect((async () => orm.on?.(tx))()).rejects.toThrow('is open');
      await run('BEGIN');
      const on = await orm.on?.(tx);
      await on?.insert(90);
      await on?.nested(async ({ insert }) => void (await insert(91)));
      await on
        ?.nested(async ({ insert }) => {
          await insert(92);
          throw new Error('undone');
        })
        .catch(() => {});
      const before = await on?.count();
      await run('ROLLBACK');
      expect(before).toBe((await orders()).length + 2);
    });
  });
}
