import { createRowlock, increment, type Rowlock } from '@rowlock/core';
import type { AdaptedTransaction, CallersTx } from '@rowlock/core/driver';
import { freshMysqlDatabase } from '@rowlock/servers';
import {
  type Connection,
  type ConnectionOptions,
  createConnection,
  type RowDataPacket,
} from 'mysql2/promise';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { serverUrl } from './server.js';

const Anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;
const Work = { kind: 'work', payload: Anything };
const OVER = { code: 'TransactionOver' };

let database: Awaited<ReturnType<typeof freshMysqlDatabase>>;
let plain: Connection;
let rowlock: Rowlock<MysqlTransaction>;

beforeAll(async () => {
  database = await freshMysqlDatabase(serverUrl);
  plain = await createConnection(database.url);
  rowlock = createRowlock({ driver: mysql({ uri: database.url }), handlers: [] });
  await rowlock.migrate();
});

beforeEach(() => plain.query('DELETE FROM rowlock_job'));

afterAll(async () => {
  await rowlock.close();
  await plain.end();
  await database.drop();
});

async function payloads(): Promise<readonly unknown[]> {
  const [rows] = await plain.query<RowDataPacket[]>(
    'SELECT CAST(payload AS CHAR) AS payload FROM rowlock_job ORDER BY id',
  );
  return rows.map(({ payload }) => JSON.parse(payload));
}

async function withConnection(
  work: (connection: Connection) => Promise<void>,
  options: ConnectionOptions = {},
): Promise<void> {
  const connection = await createConnection({ uri: database.url, ...options });
  try {
    await work(connection);
  } finally {
    await connection.end();
  }
}

/** The calls that take a `tx`, each on a job that is there. */
function calls(tx: CallersTx<MysqlTransaction>, publicId: string): readonly (() => Promise<unknown>)[] {
  return [
    () => rowlock.enqueue(Work, { payload: 'lost' }, { tx }),
    () => rowlock.enqueue(Work, { payload: 'lost', unique: 'once' }, { tx }),
    () => rowlock.enqueueMany(Work, [{ payload: 'lost' }, { payload: 'lost' }], { tx }),
    () => rowlock.find(publicId, { tx }),
    () => rowlock.jobs.list({}, { tx }),
    () => rowlock.jobs.list({ status: 'in-progress' }, { tx }),
    () => rowlock.jobs.list({ status: 'new' }, { tx }),
    () => rowlock.jobs.count({}, { tx }),
    () => rowlock.cancel(publicId, { tx }),
    () => rowlock.redrive(publicId, { tx }),
  ];
}

/** What an application may hand in: the connection itself, or an object that passes statements on. */
const FORMS: Readonly<Record<string, (connection: Connection) => CallersTx<MysqlTransaction>>> = {
  'a connection': (connection) => connection,
  'an object of another make': anotherMake,
  'an object of another make whose answers lack the status': withoutStatus,
  'a connection with callbacks': (connection) => Object(connection).connection,
  'an object with query alone': adapted,
  'an object with query alone that tells the status': withStatus,
  'an object that passes on all that it is given': passing,
};

function anotherMake(connection: Connection): MysqlTransaction {
  return {
    execute: (sql, values) => connection.execute(sql, values),
    query: (sql, values) => connection.query(sql, values),
  };
}

function withoutStatus(connection: Connection): MysqlTransaction {
  return {
    execute: async (sql, values) => answerWithoutStatus(await connection.execute<never>(sql, values)),
    query: async (sql, values) => answerWithoutStatus(await connection.query<never>(sql, values)),
  };
}

function answerWithoutStatus([result, fields]: [object, unknown]): [unknown, unknown] {
  const { affectedRows, insertId } = Object(result);
  return [Array.isArray(result) ? result : { affectedRows, insertId }, fields];
}

function passing(connection: Connection): AdaptedTransaction {
  return { query: async (...given) => Object((await Reflect.apply(connection.query, connection, given))[0]) };
}

function withStatus(connection: Connection): AdaptedTransaction {
  return { query: async (text, values) => Object((await connection.query(text, values))[0]) };
}

/** As of ORMs, which write the values into the text themselves, and wrap the server's errors. */
function adapted(connection: Connection): AdaptedTransaction {
  return {
    async query(text, values) {
      try {
        const [result] = await connection.query(text, values);
        const { affectedRows, insertId } = Object(result);
        return Array.isArray(result) ? { rows: result } : { affectedRows: BigInt(affectedRows), insertId };
      } catch (cause) {
        throw new Error(`Failed: ${text}`, { cause });
      }
    },
  };
}

const LARGE = Array.from({ length: 40 }, () => ({ payload: 'x'.repeat(100_000) }));

for (const [form, made] of Object.entries(FORMS)) {
  for (const ends of [
    [],
    ['BEGIN', 'COMMIT'],
    ['BEGIN', 'ROLLBACK'],
    ['BEGIN', 'SELECT 1', 'CREATE TABLE IF NOT EXISTS implicit (a INT)'],
  ]) {
    test(`${form} after ${ends.join(', ') || 'nothing'} is refused in every call, and nothing is written`, async () => {
      const { publicId } = await rowlock.enqueue(Work, { payload: 'there' });
      await withConnection(async (connection) => {
        for (const statement of ends) await connection.query(statement);
        for (const call of calls(made(connection), publicId))
          await expect(call()).rejects.toMatchObject(OVER);
        await expect(rowlock.enqueueMany(Work, LARGE, { tx: made(connection) })).rejects.toMatchObject(OVER);
      });
      expect(await payloads()).toEqual(['there']);
      expect((await rowlock.find(publicId))?.status).toBe('new');
    });
  }

  test(`${form} in a transaction is taken in every call`, async () => {
    const { publicId } = await rowlock.enqueue(Work, { payload: { there: ['"', '\\', null] }, key: 'k' });
    await withConnection(async (connection) => {
      await connection.beginTransaction();
      const tx = made(connection);
      await rowlock.enqueue(Work, { payload: 'a "text"' }, { tx });
      const [first, twin] = await rowlock.enqueueMany(
        Work,
        [{ payload: { n: 1 }, unique: 'once' }, { payload: 2, unique: 'once' }, { payload: [3] }],
        { tx },
      );
      expect(twin).toEqual({ outcome: 'duplicate', publicId: first?.publicId });
      expect(await rowlock.find(publicId, { tx })).toMatchObject({
        payload: { there: ['"', '\\', null] },
        key: 'k',
      });
      expect((await rowlock.jobs.list({ status: 'new' }, { tx })).jobs).toHaveLength(4);
      expect(await rowlock.jobs.count({ status: 'new' }, { tx })).toMatchObject({ count: 4 });
      expect(await rowlock.cancel(publicId, { tx })).toBe('cancelled');
      await rowlock.redrive(publicId, { tx });
      await connection.commit();
    });
    expect(await payloads()).toEqual([{ there: ['"', '\\', null] }, 'a "text"', { n: 1 }, [3]]);
  });

  test(`${form} without autocommit is in a transaction`, async () => {
    await withConnection(async (connection) => {
      await connection.query('SET autocommit = 0');
      await rowlock.enqueue(Work, { payload: 'in' }, { tx: made(connection) });
      expect(await payloads()).toEqual([]);
      await connection.commit();
    });
    expect(await payloads()).toEqual(['in']);
  });
}

test.each(['COMMIT', 'ROLLBACK'])(
  'a call that is not awaited before a %s is not outside of its transaction',
  async (end) => {
    await withConnection(async (connection) => {
      await connection.beginTransaction();
      const tx = connection;
      const outcomes = Promise.allSettled([
        rowlock.enqueue(Work, { payload: 'plain' }, { tx }),
        rowlock.enqueue(Work, { payload: 'unique', unique: 'once' }, { tx }),
        rowlock.enqueueMany(Work, LARGE, { tx }),
      ]);
      await connection.query(end);
      for (const outcome of await outcomes)
        expect(outcome).toMatchObject({ status: 'rejected', reason: OVER });
    });
    expect(await payloads()).toEqual([]);
  },
);

test('calls at once in one transaction are all in it', async () => {
  await withConnection(async (connection) => {
    await connection.beginTransaction();
    const one = (payload: number) =>
      rowlock.enqueue(Work, { payload, unique: `${payload}` }, { tx: connection });
    const query = () => connection.query('SELECT 1');
    await Promise.all([one(1), query(), one(2), rowlock.jobs.count({}, { tx: connection }), query(), one(3)]);
    await connection.commit();
  });
  expect((await payloads()).toSorted()).toEqual([1, 2, 3]);
});

test('a job without a unique key takes no statement more in a transaction', async () => {
  await withConnection(async (connection) => {
    await connection.beginTransaction();
    const statements = async (): Promise<number> => {
      const [[row]] = await connection.query<RowDataPacket[]>("SHOW SESSION STATUS LIKE 'Questions'");
      return Number(row?.Value);
    };
    await rowlock.enqueue(Work, { payload: 1 }, { tx: connection });
    const before = await statements();
    await rowlock.enqueue(Work, { payload: 2 }, { tx: connection });
    // The ring, the INSERT, and this question.
    expect((await statements()) - before).toBe(3);
    await connection.rollback();
  });
});

const OPTIONS: readonly ConnectionOptions[] = [
  { typeCast: false },
  { typeCast: (field) => `cast ${field.string()}` },
  { rowsAsArray: true },
  { nestTables: true },
  { nestTables: '_' },
  { dateStrings: true, supportBigNumbers: true, bigNumberStrings: true, decimalNumbers: true },
  { jsonStrings: true, namedPlaceholders: true, disableEval: true },
];

test.each(OPTIONS)('no option of a connection alters what is read: %j', async (options) => {
  await withConnection(async (connection) => {
    await connection.beginTransaction();
    const tx = connection;
    const { publicId } = await rowlock.enqueue(Work, { payload: { n: 1 }, unique: 'once' }, { tx });
    const twin = await rowlock.enqueue(Work, { payload: 1, unique: 'once' }, { tx });
    expect(twin).toEqual({ outcome: 'duplicate', publicId });
    expect(await rowlock.find(publicId, { tx })).toMatchObject({
      payload: { n: 1 },
      attempt: 0,
      createdAt: expect.any(Date),
      startedAt: null,
    });
    expect(await rowlock.jobs.count({ status: 'new' }, { tx })).toMatchObject({ count: 1 });
    expect(await rowlock.cancel(publicId, { tx })).toBe('cancelled');
    await rowlock.redrive(publicId, { tx });
    await connection.commit();
  }, options);
  expect(await payloads()).toEqual([{ n: 1 }]);
});

type Answer = [result: unknown, fields: unknown];

/** Each row with other names, or other values. */
const eachRow =
  (changed: (name: string, value: unknown) => [string, unknown]) =>
  ([rows, fields]: Answer): Answer => [
    Array.isArray(rows)
      ? rows.map((row) =>
          Object.fromEntries(Object.entries(row).map(([name, value]) => changed(name, value))),
        )
      : rows,
    fields,
  ];

const camelCased = eachRow((name, value) => [
  name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()),
  value,
]);

const SHAPES: Readonly<Record<string, (answer: Answer) => unknown>> = {
  nothing: () => undefined,
  'rows alone': ([rows]) => rows,
  'rows as arrays': ([rows, fields]) => [
    Array.isArray(rows) ? rows.map((row) => Object.values(row)) : rows,
    fields,
  ],
  'rows in camel case': camelCased,
  'rows in capitals': eachRow((name, value) => [name.toUpperCase(), value]),
  'JSON that is parsed': eachRow((name, value) => [
    name,
    /^[{[]/.test(`${value}`) ? JSON.parse(`${value}`) : value,
  ]),
  'numbers for texts of digits': eachRow((name, value) => [
    name,
    /^\d+$/.test(`${value}`) ? Number(value) : value,
  ]),
  'undefined for NULL': eachRow((name, value) => [name, value ?? undefined]),
  'results in camel case alone': ([result, fields]) =>
    Array.isArray(result) ? [result, fields] : [{ serverStatus: Object(result).serverStatus }, fields],
};

/** How an object with answers of its own may stand before a connection. */
const BEFORE: Readonly<
  Record<string, (connection: Connection, changed: (answer: Answer) => unknown) => MysqlTransaction>
> = {
  'an object': (connection, changed) => ({
    execute: async (sql, values) => Object(changed(await connection.execute<never>(sql, values))),
    query: async (sql, values) => Object(changed(await connection.query<never>(sql, values))),
  }),
  'a Proxy': (connection, changed) =>
    new Proxy(connection, {
      get(target, name) {
        if (name === 'execute')
          return async (...call: [never]) => changed(await target.execute<never>(...call));
        if (name === 'query') return async (...call: [never]) => changed(await target.query<never>(...call));
        return Reflect.get(target, name);
      },
    }),
  'a connection with methods of a tool': (connection, changed) => {
    const { execute, query } = connection;
    return Object.assign(connection, {
      execute: async (...call: [never]) => Object(changed(await execute.apply(connection, call))),
      query: async (...call: [never]) => Object(changed(await query.apply(connection, call))),
    });
  },
};

const cases = Object.keys(BEFORE).flatMap((form) =>
  Object.keys(SHAPES).map((shape) => [form, shape] as const),
);

test.each(cases)(
  '%s that answers with %s is refused in every call, before anything is written',
  async (form, shape) => {
    const { publicId } = await rowlock.enqueue(Work, { payload: 'there' });
    await withConnection(async (connection) => {
      await connection.beginTransaction();
      const tx = BEFORE[form]?.(connection, SHAPES[shape] ?? String) ?? connection;
      for (const call of [...calls(tx, publicId), ...writes(tx, publicId)])
        await expect(call()).rejects.toMatchObject({
          code: 'InvalidInput',
          message: expect.stringContaining('execute(sql, values)'),
        });
      await connection.commit();
    });
    expect(await payloads()).toEqual(['there']);
    expect(await rowlock.jobs.pauses()).toEqual([]);
  },
);

test('rows that a tool has frozen are read, and stay as they are', async () => {
  const { publicId } = await rowlock.enqueue(Work, { payload: 'there' });
  await withConnection(async (connection) => {
    await connection.beginTransaction();
    const tx = BEFORE['an object']?.(connection, ([rows, fields]) => [Object.freeze(rows), fields]);
    for (const call of tx === undefined ? [] : [...calls(tx, publicId), ...writes(tx, publicId)])
      await call();
    await connection.rollback();
  });
  expect(await payloads()).toEqual(['there']);
});

/** Further calls, which write, each on something that is not there. */
function writes(tx: CallersTx<MysqlTransaction>, publicId: string): readonly (() => Promise<unknown>)[] {
  return [
    () => rowlock.jobs.updateMetadata(publicId, [increment('n')], { tx }),
    () => rowlock.schedules.set('hourly', { handler: Work, payload: 'lost', every: '1h' }, { tx }),
    () => rowlock.jobs.pause({ kind: 'work' }, {}, { tx }),
  ];
}

for (const [form, made] of Object.entries(FORMS)) {
  test(`${form} in a transaction that only reads is told so by every call that writes, and the others read`, async () => {
    const { publicId } = await rowlock.enqueue(Work, { payload: 'there' });
    await withConnection(async (connection) => {
      await connection.query('START TRANSACTION READ ONLY');
      const tx = made(connection);
      expect(await rowlock.find(publicId, { tx })).toMatchObject({ payload: 'there' });
      expect(await rowlock.jobs.count({ status: 'new' }, { tx })).toMatchObject({ count: 1 });
      const [plain, unique, many] = calls(tx, publicId);
      const cancel = () => rowlock.cancel(publicId, { tx });
      for (const call of [plain, unique, many, cancel, ...writes(tx, publicId)])
        await expect(call?.()).rejects.toMatchObject({
          code: 'InvalidInput',
          isRetryable: false,
          message: expect.stringMatching(/only reads/),
        });
      await connection.commit();
    });
    expect(await payloads()).toEqual(['there']);
  });
}

test.each(['COMMIT', 'ROLLBACK'])(
  'a call on an object of another make that is not awaited before a %s rejects, whatever came of it',
  async (end) => {
    await withConnection(async (connection) => {
      for (const made of [adapted, anotherMake]) {
        await connection.beginTransaction();
        const call = rowlock.enqueue(Work, { payload: 'late' }, { tx: made(connection) });
        await connection.query(end);
        await expect(call).rejects.toMatchObject(OVER);
      }
    });
    expect(await payloads()).toEqual([]);
  },
);

test('a COMMIT between the look and the statement is told', async () => {
  await withConnection(async (connection) => {
    await connection.beginTransaction();
    const own = adapted(connection);
    const tx: AdaptedTransaction = {
      async query(text, values, database) {
        if (/INSERT INTO .*job/s.test(text)) await connection.query('COMMIT');
        return own.query(text, values, database);
      },
    };
    await expect(rowlock.enqueue(Work, { payload: 'by itself' }, { tx })).rejects.toMatchObject({
      code: 'TransactionOver',
      message: expect.stringContaining('committed by itself'),
    });
  });
  expect(await payloads()).toEqual(['by itself']);
});

test.each([
  ['latin1', { charset: 'latin1' }, 'DO 0'],
  ['NO_BACKSLASH_ESCAPES', {}, "SET SESSION sql_mode = CONCAT(@@sql_mode, ',NO_BACKSLASH_ESCAPES')"],
])(
  'a connection behind an object that would change what is stored is refused: %s',
  async (_, options, setting) => {
    await withConnection(async (connection) => {
      await connection.query(setting);
      await connection.beginTransaction();
      await expect(
        rowlock.enqueue(Work, { payload: 'lost' }, { tx: adapted(connection) }),
      ).rejects.toMatchObject({ code: 'InvalidInput', message: expect.stringContaining('utf8mb4') });
      await connection.commit();
    }, options);
    expect(await payloads()).toEqual([]);
  },
);

test("another database's transaction is refused by name", async () => {
  const tx: AdaptedTransaction = {
    adapter: { name: 'fromX', database: 'postgres' },
    query: async () => [],
  };
  await expect(rowlock.enqueue(Work, { payload: 'lost' }, { tx })).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringMatching(/fromX\(\).*postgres.*mysql/),
  });
});
