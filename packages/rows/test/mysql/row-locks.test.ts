import type { MysqlTransaction } from '@rowlock/driver-mysql';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createPool, type Pool, type RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { serverUrl } from '../../../driver-mysql/test/server.js';
import { lockRows, transaction } from '../../src/mysql.js';

let database: Awaited<ReturnType<typeof freshMysqlDatabase>>;
let schema: string;
let pool: Pool;

beforeAll(async () => {
  database = await freshMysqlDatabase(serverUrl);
  schema = new URL(database.url).pathname.slice(1);
  pool = createPool({ uri: database.url, connectionLimit: 4, timezone: 'Z' });
  await pool.query(
    'CREATE TABLE `odd.``table``` (id BIGINT PRIMARY KEY, at DATETIME(3), `a ``column``` VARCHAR(20))',
  );
  await pool.query('CREATE TABLE kinds (flag BOOLEAN, bytes VARBINARY(10), ratio DOUBLE)');
  await pool.query("INSERT INTO kinds VALUES (TRUE, X'00ff', 0.5), (FALSE, X'01', 1)");
  await pool.query('CREATE TABLE seat (id INT PRIMARY KEY, code VARCHAR(20), UNIQUE (code))');
});
beforeEach(async () => {
  await pool.query('DELETE FROM seat');
  await pool.query("INSERT INTO seat VALUES (1, '7'), (2, '8'), (3, '9')");
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const ids = async (): Promise<readonly number[]> => {
  const [rows] = await pool.query<RowDataPacket[]>('SELECT id FROM seat ORDER BY id');
  return rows.map(({ id }) => id);
};

test('strengths that MySQL does not have are refused, by the types too', () =>
  transaction(pool, async (tx) => {
    const message = /strength must be one of update, share, not/;
    // @ts-expect-error: of Postgres alone.
    await expect(lockRows(tx, 'seat', { id: 1 }, { strength: 'no key update' })).rejects.toThrow(message);
    // @ts-expect-error: of Postgres alone.
    await expect(lockRows(tx, 'seat', { id: 1 }, { strength: 'key share' })).rejects.toThrow(message);
  }));

test('odd names are quoted, and rows are read as the connection reads them', async () => {
  const at = new Date('2026-11-25T12:00:00.125Z');
  await pool.query('INSERT INTO `odd.``table``` VALUES (?, ?, ?)', ['9007199254740993', at, 'x']);
  await transaction(pool, async (tx) => {
    const where = { id: 9007199254740993n, at, 'a `column`': 'x' };
    const [row] = await lockRows(tx, [schema, 'odd.`table`'], where);
    expect(row).toMatchObject({ at, 'a `column`': 'x' });
  });
});

test.each(['1a', '', 'one', '1; 2'])(
  'a text that is no number is refused where the column has numbers, and locks nothing: %j',
  async (id) => {
    await transaction(pool, async (tx) => {
      await expect(lockRows(tx, 'seat', { id })).rejects.toMatchObject({
        code: 'InvalidInput',
        message: expect.stringContaining('the column has numbers'),
      });
      await expect(lockRows(tx, 'seat', { id: [2, id] })).rejects.toMatchObject({ code: 'InvalidInput' });
      const [free] = await pool.query('SELECT id FROM seat FOR UPDATE SKIP LOCKED');
      expect(free).toHaveLength(3);
      expect(await lockRows(tx, 'seat', { id: ' 1 ', code: ['7', '7a'] })).toHaveLength(1);
    });
  },
);

test('booleans, bytes and fractions are values, too', () =>
  transaction(pool, async (tx) => {
    for (const where of [{ flag: true }, { bytes: new Uint8Array([0, 255]) }, { ratio: 0.5 }])
      expect(await lockRows(tx, 'kinds', where)).toEqual([
        { flag: 1, bytes: Buffer.from([0, 255]), ratio: 0.5 },
      ]);
  }));

test('a number finds text by its index, and so locks no other row', () =>
  transaction(pool, async (tx) => {
    expect(await lockRows(tx, 'seat', { code: 7 })).toEqual([{ id: 1, code: '7' }]);
    const others = await transaction(pool, (other) =>
      lockRows(other, 'seat', { id: [1, 2, 3] }, { wait: 'skipLocked', order: { id: 'asc' } }),
    );
    expect(others.map(({ id }) => id)).toEqual([2, 3]);
  }));

test('after a refused nowait the transaction goes on', () =>
  transaction(pool, async (a) => {
    await lockRows(a, 'seat', { id: 1 });
    await transaction(pool, async (b) => {
      await b.query("UPDATE seat SET code = 'b' WHERE id = 2");
      const refused = lockRows(b, 'seat', { id: 1 }, { wait: 'nowait' });
      await expect(refused).rejects.toMatchObject({ code: 'LockNotAvailable' });
    });
    const [rows] = await pool.query<RowDataPacket[]>('SELECT code FROM seat WHERE id = 2');
    expect(rows).toEqual([{ code: 'b' }]);
  }));

test("a wait that exceeds the server's limit is LockTimeout", () =>
  transaction(pool, async (a) => {
    await lockRows(a, 'seat', { id: 1 });
    const late = transaction(pool, async (b) => {
      await b.query('SET SESSION innodb_lock_wait_timeout = 1');
      await lockRows(b, 'seat', { id: 1 });
    });
    await expect(late).rejects.toMatchObject({ code: 'LockTimeout' });
  }));

test.each(['START TRANSACTION', '/* one more */ begin'])(
  '%s in the work is refused, and the transaction goes on',
  (sql) =>
    transaction(pool, async (tx) => {
      await tx.query('INSERT INTO seat VALUES (4, NULL)');
      await expect(tx.query(sql)).rejects.toMatchObject({ code: 'InvalidInput' });
      expect(await ids()).toEqual([1, 2, 3]);
      await tx.query('DELETE FROM seat WHERE id = 4');
    }),
);

test('a statement that commits, as DDL does, is refused before it is sent', async () => {
  await transaction(pool, async (tx) => {
    await tx.query('INSERT INTO seat VALUES (4, NULL)');
    for (const statement of ['CREATE TABLE IF NOT EXISTS more (id INT)', '/* all */ TRUNCATE seat'])
      await expect(tx.query(statement)).rejects.toMatchObject({ code: 'InvalidInput' });
    expect(await ids()).toEqual([1, 2, 3]);
  });
  expect(await ids()).toEqual([1, 2, 3, 4]);
});

test('a procedure that commits is the last statement', async () => {
  await pool.query('DROP PROCEDURE IF EXISTS commits');
  await pool.query('CREATE PROCEDURE commits() COMMIT');
  const refused: unknown[] = [];
  const work = async (tx: MysqlTransaction) => {
    await tx.query('INSERT INTO seat VALUES (4, NULL)');
    await tx.query('CALL commits()');
    await tx.query('INSERT INTO seat VALUES (5, NULL)').catch(({ code }) => refused.push(code));
  };
  await expect(transaction(pool, work)).rejects.toMatchObject({ code: 'TransactionOver' });
  expect(refused).toEqual(['TransactionOver']);
  expect(await ids()).toEqual([1, 2, 3, 4]);
});

test('a connection in place of a pool is refused, as its transaction would be the only one', async () => {
  const connection = await pool.getConnection();
  try {
    const refused = transaction(Object(connection), () => {});
    await expect(refused).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
  } finally {
    connection.release();
  }
});
