import type { PostgresTransaction } from '@rowlock/driver-postgres';
import '@rowlock/servers/vitest';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import postgresJs from 'postgres';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { type LockStrength, lockRows, transaction } from '../../src/postgres.js';

let database: Awaited<ReturnType<typeof freshDatabase>>;
let pool: pg.Pool;

beforeAll(async () => {
  database = await freshDatabase(inject('postgresUrl'));
  pool = new pg.Pool({ connectionString: database.url, max: 4 });
  await pool.query('CREATE SCHEMA "odd.schema"');
  await pool.query(`
    CREATE TABLE "odd.schema"."a ""table""" (id bigint PRIMARY KEY, at timestamptz NOT NULL, "a ""column""" text)`);
  await pool.query('CREATE TABLE kinds (flag boolean, bytes bytea, ratio float8)');
  await pool.query(String.raw`INSERT INTO kinds VALUES (true, '\x00ff', 0.5), (false, '\x01', 1)`);
  await pool.query('CREATE TABLE seat (id integer PRIMARY KEY)');
});
beforeEach(async () => {
  await pool.query('TRUNCATE seat, "odd.schema"."a ""table"""');
  await pool.query('INSERT INTO seat VALUES (1)');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Which locks exclude each other, as the documentation has them: https://www.postgresql.org/docs/current/explicit-locking.html#LOCKING-ROWS */
const CONFLICTS: Readonly<Record<LockStrength, readonly LockStrength[]>> = {
  'key share': ['update'],
  share: ['no key update', 'update'],
  'no key update': ['share', 'no key update', 'update'],
  update: ['key share', 'share', 'no key update', 'update'],
};
const STRENGTHS = Object.keys(CONFLICTS).filter((name): name is LockStrength => name in CONFLICTS);
const PAIRS = STRENGTHS.flatMap((held) => STRENGTHS.map((asked) => [held, asked] as const));

test.each(PAIRS)('a row with the lock %s, and one more that asks for %s', (held, asked) =>
  transaction(pool, async (a) => {
    await lockRows(a, 'seat', { id: 1 }, { strength: held });
    const other = transaction(pool, (b) =>
      lockRows(b, 'seat', { id: 1 }, { strength: asked, wait: 'nowait' }),
    );
    if (CONFLICTS[held].includes(asked))
      await expect(other).rejects.toMatchObject({ code: 'LockNotAvailable' });
    else expect(await other).toEqual([{ id: 1 }]);
  }),
);

test('odd names are quoted, and rows are read as the connection reads them', async () => {
  const at = new Date('2026-11-25T12:00:00Z');
  await pool.query('INSERT INTO "odd.schema"."a ""table""" VALUES ($1, $2, $3)', [
    '9007199254740993',
    at,
    'x',
  ]);
  await transaction(pool, async (tx) => {
    const where = { id: 9007199254740993n, at, 'a "column"': 'x' };
    const [row] = await lockRows(tx, ['odd.schema', 'a "table"'], where);
    // By pg's own parsers: a bigint is text, and a timestamp a Date.
    expect(row).toEqual({ id: '9007199254740993', at, 'a "column"': 'x' });
  });
});

test('booleans, bytes and fractions are values, too', () =>
  transaction(pool, async (tx) => {
    for (const where of [{ flag: true }, { bytes: new Uint8Array([0, 255]) }, { ratio: 0.5 }])
      expect(await lockRows(tx, 'kinds', where)).toEqual([
        { flag: true, bytes: Buffer.from([0, 255]), ratio: 0.5 },
      ]);
  }));

test('a failed statement that the work has passed over rejects the transaction, as nothing was committed', async () => {
  const work = async (tx: PostgresTransaction) => {
    await tx.query('INSERT INTO seat VALUES (2)');
    await tx.query('INSERT INTO seat VALUES (1)').catch(() => {});
    await tx.query('INSERT INTO seat VALUES (3)').catch(() => {});
  };
  await expect(transaction(pool, work)).rejects.toMatchObject({ code: 'UniqueViolation' });
  expect((await pool.query('SELECT id FROM seat')).rows).toEqual([{ id: 1 }]);
});

test('a failed statement behind a savepoint does not', async () => {
  await transaction(pool, async (tx) => {
    await tx.query('SAVEPOINT before');
    await tx.query('INSERT INTO seat VALUES (1)').catch(() => {});
    await tx.query('ROLLBACK TO SAVEPOINT before');
    await tx.query('INSERT INTO seat VALUES (2)');
  });
  expect((await pool.query('SELECT id FROM seat ORDER BY id')).rows).toEqual([{ id: 1 }, { id: 2 }]);
});

test('a constraint that is checked at the COMMIT rejects the transaction', async () => {
  await pool.query(
    'CREATE TABLE chair (id integer PRIMARY KEY, seat integer REFERENCES seat DEFERRABLE INITIALLY DEFERRED)',
  );
  try {
    const work = (tx: PostgresTransaction) => tx.query('INSERT INTO chair VALUES (1, 9)');
    await expect(transaction(pool, work)).rejects.toMatchObject({
      name: 'DriverError',
      cause: { code: '23503' },
    });
  } finally {
    await pool.query('DROP TABLE chair');
  }
});

test('postgres.js: rows are locked in its transaction, and outside of one the call is refused', async () => {
  const sql = postgresJs(database.url, { max: 1, onnotice: () => {} });
  const tx = (on: Pick<postgresJs.Sql, 'unsafe'>): PostgresTransaction => ({
    query: async (text, values) => Object(await on.unsafe(String(text), Object(values))),
  });
  try {
    await sql.begin(async (own) => {
      expect(await lockRows(tx(own), 'seat', { id: [1, 2] })).toEqual([{ id: 1 }]);
      const other = transaction(pool, (b) => lockRows(b, 'seat', { id: 1 }, { wait: 'nowait' }));
      await expect(other).rejects.toMatchObject({ code: 'LockNotAvailable' });
    });
    await expect(lockRows(tx(sql), 'seat', { id: 1 })).rejects.toMatchObject({ code: 'TransactionOver' });
  } finally {
    await sql.end();
  }
});

test('a connection that breaks, in a transaction or after it, does not end the process', async () => {
  const own = new pg.Pool({ connectionString: database.url, max: 1 });
  const end = (pid: unknown) => pool.query('SELECT pg_terminate_backend($1)', [pid]);
  try {
    const pidOf = async (tx: PostgresTransaction) =>
      (await tx.query('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
    const work = async (tx: PostgresTransaction) => {
      await end(await pidOf(tx));
      await tx.query('SELECT 1');
    };
    await expect(transaction(own, work)).rejects.toThrow();
    const broken = new Promise((resolve) => own.on('error', resolve));
    await end(await transaction(own, pidOf));
    await broken;
    expect(await transaction(own, (tx) => lockRows(tx, 'seat', { id: 1 }))).toEqual([{ id: 1 }]);
  } finally {
    await own.end();
  }
});

test('a client in place of a pool is refused, as its transaction would be the only one', async () => {
  const client = await pool.connect();
  try {
    const refused = transaction(Object(client), () => {});
    await expect(refused).rejects.toMatchObject({ code: 'ROWLOCK_INVALID_INPUT' });
  } finally {
    client.release();
  }
});
