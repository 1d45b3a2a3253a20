import '@rowlock/servers/vitest';
import type { ClaimSession } from '@rowlock/core/driver';
import { newJob } from '@rowlock/driver-conformance/internal';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { type PostgresTransaction, postgres } from '../src/index.js';

let driver: ReturnType<typeof postgres>;
let reader: pg.Client;
let drop: () => Promise<void>;
let held: ClaimSession<PostgresTransaction>;

beforeAll(async () => {
  const fresh = await freshDatabase(inject('postgresUrl'));
  drop = fresh.drop;
  driver = postgres({ connectionString: fresh.url });
  await driver.schema.migrate();
  await driver.jobs.enqueue([newJob()]);
  reader = new pg.Client(fresh.url);
  await reader.connect();
  await reader.query('CREATE TABLE note (id integer)');
  await reader.query('CREATE PROCEDURE ends() LANGUAGE plpgsql AS $$ BEGIN COMMIT; END $$');
});

beforeEach(async () => {
  held = driver.claims.session({ idleLimitMs: 60_000 });
  const line = { priority: -32_768, id: 0n };
  expect(await held.claim({ queue: 'q', kinds: ['k'], line, busy: [], limit: 1 })).toHaveLength(1);
  await held.handle.query('INSERT INTO note VALUES (1)');
});

afterEach(() => held.rollback());

afterAll(async () => {
  await reader.end();
  await driver.close();
  await drop();
});

/** That the job is locked, that nothing is committed, and that the transaction goes on. */
async function expectClaimed(): Promise<void> {
  expect(held.lost.aborted).toBe(false);
  await expect(reader.query('SELECT FROM rowlock.job FOR UPDATE NOWAIT')).rejects.toMatchObject({
    code: '55P03',
  });
  expect((await reader.query('SELECT FROM note')).rowCount).toBe(0);
  expect((await held.handle.query('SELECT FROM note')).rowCount).toBe(1);
}

/** A handler's `tx`. */
const tx = (): PostgresTransaction => driver.claims.deferred({ send: (statement) => statement(held.handle) });

/** As JavaScript would call it. */
const call = (...given: unknown[]): unknown => Reflect.apply(tx().query, tx(), given);

const WAYS: Readonly<Record<string, (text: string) => unknown>> = {
  'query(text)': (text) => call(text),
  'query(text, values)': (text) => call(text, []),
  'query({ text })': (text) => call({ text }),
  'query({ text, values })': (text) => call({ text, values: [] }),
  'query({ name, text })': (text) => call({ name: 'ending', text }),
  'query({ text, rowMode })': (text) => call({ text, rowMode: 'array' }),
};

const UNITS = `CREATE TABLE begin_end (id integer); SELECT 'a;b', "commit".id, $$; COMMIT; $$ FROM begin_end AS "commit"`;

describe('what would begin or end the transaction is not sent', () => {
  test.each([
    'BEGIN',
    'begin isolation level serializable',
    'START TRANSACTION READ ONLY',
    'COMMIT',
    'Commit Work',
    'COMMIT AND CHAIN',
    'COMMIT AND NO CHAIN',
    "COMMIT PREPARED 'one'",
    'END',
    'end transaction',
    'ABORT',
    'ROLLBACK',
    'ROLLBACK WORK',
    'ROLLBACK AND CHAIN',
    "ROLLBACK PREPARED 'one'",
    "PREPARE TRANSACTION 'one'",
    ' \n\t;; COMMIT ;',
    '-- why\nCOMMIT',
    '/* why /* and how */ not */COMMIT/**/',
    '/* api */ -- two\r\n /* of them */ ROLLBACK',
    'SELECT 1; COMMIT',
    "SELECT 'it''s; a text'; COMMIT; SELECT 2",
    String.raw`SELECT E'a \'; text', "a ""; name" FROM note; COMMIT`,
    "SELECT 1 AS e'' , ''; COMMIT",
    'SELECT $1$, $a$ ; $b$ $a$; COMMIT',
    `${UNITS}; COMMIT`,
    'ROLLBACK TO SAVEPOINT own; COMMIT',
    "SELECT 'unfinished; -- \n'; /* /* */ */ END",
    'CREATE FUNCTION f() RETURNS integer BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 2 END; END; END',
  ])('%j', async (text) => {
    for (const [way, send] of Object.entries(WAYS))
      await expect(send(text), way).rejects.toMatchObject({
        code: 'InvalidInput',
        message: expect.stringMatching(/not sent.*SAVEPOINT/),
      });
    await expectClaimed();
  });
});

test.each(['COMMIT', 'SAVEPOINT rowlock_handler'])(
  'nor is it behind a text that the session has come to read otherwise, also in a later run: %s',
  async (statement) => {
    await held.handle.query('SET LOCAL standard_conforming_strings = off');
    for (const _ of ['this run', 'the next one']) {
      const text = String.raw`SELECT 'a\''; ${statement}; SELECT 'b'`;
      await expect(held.handle.query(text)).rejects.toMatchObject({
        code: 'InvalidInput',
        message: expect.stringMatching(new RegExp(`^${statement} was not sent`, 'i')),
      });
      await held.handle.query(String.raw`SELECT 'a\\', 'c'; SELECT 1`);
      await expectClaimed();
    }
  },
);

describe('what leaves the transaction open is sent', () => {
  test.each([
    "SAVEPOINT rowlock_nested; SELECT 'SAVEPOINT rowlock_handler'; RELEASE SAVEPOINT rowlock_nested",
    'SAVEPOINT own; ROLLBACK TO own; ROLLBACK WORK TO SAVEPOINT own; ROLLBACK /* that */ TRANSACTION TO own; RELEASE own',
    `${UNITS}; DROP TABLE begin_end`,
    "SELECT 'COMMIT', '; COMMIT', E'\\'; COMMIT' -- COMMIT; COMMIT",
    'SELECT 1 /* ; COMMIT /* ; END */ ; ROLLBACK */',
    'SELECT $$; COMMIT; $$, $end$; END; $end$',
    'SELECT 1 AS "; END", 2 AS commit, 3 AS a$b$c',
    'PREPARE own AS SELECT 1; DEALLOCATE own',
    "DO $$ BEGIN PERFORM 1; END $$; DO 'BEGIN PERFORM 1; END'",
    'CREATE FUNCTION f() RETURNS integer LANGUAGE sql BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 2 END; END; SELECT f()',
    'CREATE TABLE ended (id integer); INSERT INTO ended VALUES (1); TRUNCATE ended',
  ])('%j', async (text) => {
    await held.handle.query(text);
    await expectClaimed();
  });
});

describe("what would use a savepoint of the claim's is not sent", () => {
  test.each([
    'SAVEPOINT rowlock_handler',
    'savepoint "rowlock_handler"',
    'SELECT 1; SAVEPOINT /* mine */ Rowlock_Fence',
    'RELEASE SAVEPOINT rowlock_fence',
    'ROLLBACK TO SAVEPOINT rowlock_handler',
    'ROLLBACK WORK TO rowlock_settlement',
  ])('%j', async (text) => {
    for (const [way, send] of Object.entries(WAYS))
      await expect(send(text), way).rejects.toMatchObject({
        code: 'InvalidInput',
        message: expect.stringMatching(/not sent.*another name/),
      });
    await expectClaimed();
  });
});

test('a procedure or a block that would commit is refused by the server, and the claim can be undone', async () => {
  for (const text of ['CALL ends()', 'DO $$ BEGIN COMMIT; END $$', 'SELECT 1; CALL ends()']) {
    await expect(held.handle.query(text)).rejects.toMatchObject({ code: '2D000' });
    await held.undo();
    await held.renew();
    await held.handle.query('INSERT INTO note VALUES (1)');
  }
  await expectClaimed();
});

test.each([
  ['a callback', () => call('SELECT 1', () => {})],
  ['a callback behind values', () => call('SELECT 1', [], () => {})],
  ['a callback of a COMMIT', () => call('COMMIT', () => {})],
  ['a callback in an object', () => call({ text: 'SELECT 1', callback: () => {} })],
  ['a query object', () => call(new pg.Query('COMMIT'))],
  ['a stream, as pg-query-stream makes one', () => call({ submit() {}, cursor: { text: 'COMMIT' } })],
])('a form of call that has no answer to await is refused at once: %s', async (_, send) => {
  expect(send).toThrow(
    expect.objectContaining({ code: 'InvalidInput', message: expect.stringMatching(/await/) }),
  );
  await expectClaimed();
});

test.each<[string, () => unknown]>([
  ['undefined', () => call(undefined)],
  ['a number', () => call(7)],
  ['an object without a text', () => call({ text: undefined })],
])('a statement that is no text is refused at once, and keeps the claim: %s', async (_, send) => {
  expect(send).toThrow(
    expect.objectContaining({ code: 'InvalidInput', message: expect.stringMatching(/no text/) }),
  );
  await expectClaimed();
});
