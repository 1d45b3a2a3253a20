import '@rowlock/servers/vitest';
import { createRowlock, increment, type Rowlock } from '@rowlock/core';
import type { AdaptedTransaction, CallersTx } from '@rowlock/core/driver';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import postgresJs from 'postgres';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { type PostgresTransaction, postgres } from '../src/index.js';

const Anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;
const Work = { kind: 'work', payload: Anything };
const OVER = { code: 'TransactionOver', message: expect.stringContaining('no open transaction') };

let database: Awaited<ReturnType<typeof freshDatabase>>;
let pool: pg.Pool;
let rowlock: Rowlock<PostgresTransaction>;

beforeAll(async () => {
  database = await freshDatabase(inject('postgresUrl'));
  pool = new pg.Pool({ connectionString: database.url });
  rowlock = createRowlock({ driver: postgres({ connectionString: database.url }), handlers: [] });
  await rowlock.migrate();
});

beforeEach(() => pool.query('DELETE FROM rowlock.job'));

afterAll(async () => {
  await rowlock.close();
  await pool.end();
  await database.drop();
});

/** A client of the pool, which goes back whatever happens. */
async function withClient(work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await work(client);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

async function payloads(): Promise<readonly unknown[]> {
  const { rows } = await pool.query('SELECT payload FROM rowlock.job ORDER BY id');
  return rows.map(({ payload }) => payload);
}

/** The calls that take a `tx`, each on a job that is there. */
function calls(tx: CallersTx<PostgresTransaction>, publicId: string): readonly Promise<unknown>[] {
  return [
    rowlock.enqueue(Work, { payload: 'lost' }, { tx }),
    rowlock.enqueue(Work, { payload: 'lost', unique: 'once' }, { tx }),
    rowlock.enqueueMany(Work, [{ payload: 'lost' }, { payload: 'lost' }], { tx }),
    rowlock.find(publicId, { tx }),
    rowlock.jobs.list({}, { tx }),
    rowlock.jobs.list({ status: 'in-progress' }, { tx }),
    rowlock.jobs.list({ status: 'new' }, { tx }),
    rowlock.jobs.count({}, { tx }),
    rowlock.cancel(publicId, { tx }),
    rowlock.redrive(publicId, { tx }),
  ];
}

/** What an application may hand in: the client itself, or an object that passes queries on, as adapters do. */
const FORMS: Readonly<Record<string, (client: pg.ClientBase) => CallersTx<PostgresTransaction>>> = {
  'a client': (client) => client,
  'an object that answers as a client does': (client) => rowsOf(client),
  'an object that answers with rows': (client) => rowsOnly(client),
  'an object that wraps errors': (client) => wrapping(client),
  'an object that passes on all that it is given': (client) => passing(client),
};

function rowsOf(client: pg.ClientBase): AdaptedTransaction {
  return { query: (text, values) => client.query(text, values) };
}

function passing(client: pg.ClientBase): AdaptedTransaction {
  return { query: (...given) => Reflect.apply(client.query, client, given) };
}

function wrapping(client: pg.ClientBase): AdaptedTransaction {
  return {
    query: (text, values) =>
      client.query(text, values).catch((cause) => Promise.reject(new Error(`Failed: ${text}`, { cause }))),
  };
}

function rowsOnly(client: pg.ClientBase): AdaptedTransaction {
  return { query: async (text, values) => (await client.query(text, values)).rows };
}

for (const [form, made] of Object.entries(FORMS)) {
  for (const ends of [[], ['BEGIN', 'COMMIT'], ['BEGIN', 'ROLLBACK'], ['BEGIN', 'SELECT 1/0', 'COMMIT']]) {
    test(`${form} after ${ends.join(', ') || 'nothing'} is refused in every call, and nothing is written`, async () => {
      const { publicId } = await rowlock.enqueue(Work, { payload: 'there' });
      await withClient(async (client) => {
        for (const statement of ends) await client.query(statement).catch(() => {});
        for (const call of calls(made(client), publicId)) await expect(call).rejects.toMatchObject(OVER);
        const many = Array.from({ length: 2_500 }, () => ({ payload: 'lost' }));
        await expect(rowlock.enqueueMany(Work, many, { tx: made(client) })).rejects.toMatchObject(OVER);
      });
      expect(await payloads()).toEqual(['there']);
      expect((await rowlock.find(publicId))?.status).toBe('new');
    });
  }

  test(`${form} in a transaction is taken in every call`, async () => {
    const { publicId } = await rowlock.enqueue(Work, { payload: { there: ['"', '\\', null] }, key: 'k' });
    await withClient(async (client) => {
      await client.query('BEGIN');
      const tx = made(client);
      await rowlock.enqueue(Work, { payload: 'a "text"' }, { tx });
      const [first, twin] = await rowlock.enqueueMany(
        Work,
        [{ payload: { n: 1 }, unique: 'once' }, { payload: 2, unique: 'once' }, { payload: [3] }],
        { tx },
      );
      expect(twin).toEqual({ outcome: 'duplicate', publicId: first?.publicId });
      expect(await rowlock.find(publicId, { tx })).toMatchObject({
        payload: { there: ['"', '\\', null] },
        createdAt: expect.any(Date),
        key: 'k',
      });
      expect((await rowlock.jobs.list({ status: 'new' }, { tx })).jobs).toHaveLength(4);
      expect(await rowlock.jobs.count({ status: 'new' }, { tx })).toMatchObject({ count: 4 });
      expect(await rowlock.cancel(publicId, { tx })).toBe('cancelled');
      await rowlock.redrive(publicId, { tx });
      await client.query('COMMIT');
    });
    expect(await payloads()).toEqual([{ there: ['"', '\\', null] }, 'a "text"', { n: 1 }, [3]]);
  });

  test(`${form}: a call that is not awaited is not outside of its transaction`, async () => {
    await withClient(async (client) => {
      for (const end of ['COMMIT', 'ROLLBACK']) {
        await client.query('BEGIN');
        const call = rowlock.enqueue(Work, { payload: end }, { tx: made(client) });
        const many = rowlock.enqueueMany(
          Work,
          Array.from({ length: 2_500 }, () => ({ payload: end })),
          { tx: made(client) },
        );
        const outcomes = Promise.allSettled([call, many]);
        await client.query(end);
        const [one, others] = await outcomes;
        const isIn = (outcome: PromiseSettledResult<unknown>): boolean =>
          end === 'COMMIT' && outcome.status === 'fulfilled';
        const there = (await payloads()).filter((payload) => payload === end);
        expect(there).toHaveLength((isIn(one) ? 1 : 0) + (isIn(others) ? 2_500 : 0));
      }
    });
  });
}

test('a call on a client that is not awaited goes ahead of the COMMIT', async () => {
  await withClient(async (client) => {
    await client.query('BEGIN');
    const call = rowlock.enqueue(Work, { payload: 'in' }, { tx: client });
    await client.query('COMMIT');
    expect(await call).toMatchObject({ outcome: 'enqueued' });
  });
  expect(await payloads()).toEqual(['in']);
});

test('a BEGIN that is not awaited counts, and so does a COMMIT', async () => {
  await withClient(async (client) => {
    const begun = client.query('BEGIN');
    await rowlock.enqueue(Work, { payload: 'in' }, { tx: client });
    await begun;
    const committed = client.query('COMMIT');
    await expect(rowlock.enqueue(Work, { payload: 'out' }, { tx: client })).rejects.toMatchObject(OVER);
    await committed;
  });
  expect(await payloads()).toEqual(['in']);
});

test('calls at once in one transaction are all in it', async () => {
  await withClient(async (client) => {
    await client.query('BEGIN');
    const one = (payload: number) => rowlock.enqueue(Work, { payload }, { tx: client });
    await Promise.all([
      one(1),
      client.query('SELECT 1'),
      one(2),
      rowlock.jobs.count({}, { tx: client }),
      one(3),
    ]);
    await client.query('COMMIT');
  });
  expect((await payloads()).toSorted()).toEqual([1, 2, 3]);
});

test('a client that went back to its pool is refused', async () => {
  const client = await pool.connect();
  await client.query('BEGIN');
  await client.query('COMMIT');
  client.release();
  await expect(rowlock.enqueue(Work, { payload: 1 }, { tx: client })).rejects.toMatchObject(OVER);
  expect(await payloads()).toEqual([]);
});

test.each([
  ['nothing', async () => undefined],
  ['rows as arrays', async () => ({ rows: [['on']] })],
  ['a count', async () => ({ rowCount: 1 })],
])('an object that answers with %s is refused before anything is written', async (_, answer) => {
  await withClient(async (client) => {
    await client.query('BEGIN');
    const tx: PostgresTransaction = {
      query: async (text, values) => {
        await client.query(text, values);
        return Object(await answer());
      },
    };
    await expect(rowlock.enqueue(Work, { payload: 1 }, { tx })).rejects.toMatchObject({
      code: 'InvalidInput',
      message: expect.stringContaining('query(text, values)'),
    });
    await client.query('COMMIT');
  });
  expect(await payloads()).toEqual([]);
});

/** As of applications that read integers, times or JSON in a way of their own. */
const PARSED = { getTypeParser: (oid: number) => (text: string) => (oid === TEXT ? text : { parsed: text }) };
const TEXT = 25;

test('no parser of a client alters what is read', async () => {
  const parsed = new pg.Client({ connectionString: database.url, types: PARSED });
  await parsed.connect();
  for (const made of Object.values(FORMS)) {
    await parsed.query('BEGIN');
    const tx = made(parsed);
    const { publicId } = await rowlock.enqueue(Work, { payload: { n: 1 }, unique: 'once' }, { tx });
    const twin = await rowlock.enqueue(Work, { payload: 1, unique: 'once' }, { tx });
    expect(twin).toEqual({ outcome: 'duplicate', publicId });
    expect(await rowlock.find(publicId, { tx })).toMatchObject({ payload: { n: 1 }, attempt: 0 });
    expect(await rowlock.jobs.count({ status: 'new' }, { tx })).toMatchObject({ count: 1 });
    expect(await rowlock.cancel(publicId, { tx })).toBe('cancelled');
    await parsed.query('ROLLBACK');
  }
  await parsed.end();
});

test('no parser of a pool keeps a user without rights to the database from migrating twice', async () => {
  const role = `owner_${new URL(database.url).pathname.slice(1)}`;
  await pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'; CREATE SCHEMA owned AUTHORIZATION ${role}`);
  const url = new URL(database.url);
  url.username = role;
  url.password = 'secret';
  const parsed = new pg.Pool({ connectionString: url.href, types: PARSED });
  const own = createRowlock({ driver: postgres({ pool: parsed, schema: 'owned' }), handlers: [] });
  expect(await own.migrate()).toMatchObject({ from: 0 });
  expect(await own.migrate()).toMatchObject({ applied: [] });
  await own.insight.verify();
  await own.close();
  await parsed.end();
  await pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
});

test('postgres.js: a call is in its transaction, and what it stores is what was passed', async () => {
  const sql = postgresJs(database.url, { max: 2 });
  const adapted = (on: postgresJs.Sql | postgresJs.TransactionSql): AdaptedTransaction => ({
    query: (text, values) => on.unsafe(text, values),
  });
  const stored = { text: 'a "text"', list: [1, 'two', null] };
  await sql.begin(async (on) => {
    const tx = adapted(on);
    await rowlock.enqueue(
      Work,
      { payload: stored, metadata: { by: 'me' }, key: 'k', priority: -1, delay: '1h' },
      { tx },
    );
    await rowlock.enqueueMany(Work, [{ payload: 'text' }, { payload: stored, unique: 'once' }], { tx });
    const { jobs } = await rowlock.jobs.list({}, { tx });
    expect(jobs.map(({ payload }) => payload)).toEqual([stored, 'text', stored]);
    expect(jobs[2]).toMatchObject({ metadata: { by: 'me' }, key: 'k', priority: -1 });
    expect(await rowlock.cancel(jobs[0]?.publicId ?? '', { tx })).toBe('cancelled');
  });
  const refused = sql.begin(async (on) => {
    await rowlock.enqueue(Work, { payload: 'undone' }, { tx: adapted(on) });
    throw new Error('undone');
  });
  await expect(refused).rejects.toThrow('undone');
  await expect(rowlock.enqueue(Work, { payload: 'lost' }, { tx: adapted(sql) })).rejects.toMatchObject(OVER);
  expect(await payloads()).toEqual([stored, 'text', stored]);
  await sql.end();
});

/** The calls that write, each on a job that is there, or on something that is not. */
const WRITES: Readonly<
  Record<string, (tx: CallersTx<PostgresTransaction>, publicId: string) => Promise<unknown>>
> = {
  enqueue: (tx) => rowlock.enqueue(Work, { payload: 'lost' }, { tx }),
  'enqueue with a unique key': (tx) => rowlock.enqueue(Work, { payload: 'lost', unique: 'once' }, { tx }),
  enqueueMany: (tx) => rowlock.enqueueMany(Work, [{ payload: 'lost' }, { payload: 'lost' }], { tx }),
  cancel: (tx, publicId) => rowlock.cancel(publicId, { tx }),
  redrive: (tx, publicId) => rowlock.redrive(publicId, { tx }),
  updateMetadata: (tx, publicId) => rowlock.jobs.updateMetadata(publicId, [increment('n')], { tx }),
  'schedules.set': (tx) =>
    rowlock.schedules.set('hourly', { handler: Work, payload: 'lost', every: '1h' }, { tx }),
  'pauses.set': (tx) => rowlock.jobs.pause({ kind: 'work' }, {}, { tx }),
};

for (const [form, made] of Object.entries(FORMS)) {
  test(`${form} in a transaction that only reads is told so by every call that writes, and the others read`, async () => {
    const { publicId } = await rowlock.enqueue(Work, { payload: 'there' });
    await withClient(async (client) => {
      await client.query('BEGIN READ ONLY');
      const tx = made(client);
      expect(await rowlock.find(publicId, { tx })).toMatchObject({ payload: 'there' });
      expect(await rowlock.jobs.count({ status: 'new' }, { tx })).toMatchObject({ count: 1 });
      for (const [name, write] of Object.entries(WRITES)) {
        await client.query('ROLLBACK');
        await client.query('BEGIN READ ONLY');
        await expect(write(tx, publicId), name).rejects.toMatchObject({
          code: 'InvalidInput',
          isRetryable: false,
          message: expect.stringMatching(/only reads/),
        });
      }
    });
    expect(await payloads()).toEqual(['there']);
  });
}

test.each(Object.entries(FORMS))(
  '%s in a transaction that has failed is told so by every call',
  async (_, made) => {
    const { publicId } = await rowlock.enqueue(Work, { payload: 'there' });
    await withClient(async (client) => {
      await client.query('BEGIN');
      await client.query('SELECT 1 / 0').catch(() => {});
      const tx = made(client);
      const find = () => rowlock.find(publicId, { tx });
      for (const call of [find, ...Object.values(WRITES)])
        await expect(call(tx, publicId), call.name).rejects.toMatchObject({
          code: 'TransactionOver',
          isRetryable: false,
          message: expect.stringMatching(/earlier statement .* has failed/),
        });
      await client.query('ROLLBACK');
    });
    expect(await payloads()).toEqual(['there']);
  },
);

test('an error of a library that has the statement in it is no sign of a transaction that is over', async () => {
  await withClient(async (client) => {
    await client.query('BEGIN');
    await client.query("SET LOCAL statement_timeout = '100ms'");
    const blocker = await pool.connect();
    await blocker.query('BEGIN');
    const tx = wrapping(client);
    await rowlock.enqueue(Work, { payload: 1, unique: 'taken' }, { tx: blocker });
    await expect(rowlock.enqueue(Work, { payload: 2, unique: 'taken' }, { tx })).rejects.toMatchObject({
      code: 'StatementCancelled',
    });
    await blocker.query('ROLLBACK');
    blocker.release();
  });
});

test("another database's transaction is refused by name", async () => {
  const tx: AdaptedTransaction = {
    adapter: { name: 'fromX', database: 'mysql' },
    query: async () => [],
  };
  await expect(rowlock.enqueue(Work, { payload: 'lost' }, { tx })).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringMatching(/fromX\(\).*mysql.*postgres/),
  });
});
