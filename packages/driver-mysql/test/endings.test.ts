import type { ClaimSession } from '@rowlock/core/driver';
import { newJob } from '@rowlock/driver-conformance/internal';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createPool, type Pool } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { serverUrl } from './server.js';

let driver: ReturnType<typeof mysql>;
let reader: Pool;
let drop: () => Promise<void>;
let held: ClaimSession<MysqlTransaction>;

beforeAll(async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  drop = fresh.drop;
  driver = mysql({ uri: fresh.url, multipleStatements: true });
  await driver.schema.migrate();
  await driver.jobs.enqueue([newJob()]);
  reader = createPool({ uri: fresh.url, connectionLimit: 1 });
  await reader.query('CREATE TABLE note (id INT)');
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
  const [free] = await reader.query('SELECT id FROM rowlock_job FOR UPDATE SKIP LOCKED');
  expect(free).toEqual([]);
  const [committed] = await reader.query('SELECT id FROM note');
  expect(committed).toEqual([]);
  const [written] = await held.handle.query('SELECT id FROM note');
  expect(written).toHaveLength(1);
  await expect(held.renew()).resolves.toBeUndefined();
}

/** A handler's `tx`. */
const tx = (): MysqlTransaction => driver.claims.deferred({ send: (statement) => statement(held.handle) });

/** As JavaScript would call it. */
const call = (verb: 'query' | 'execute', ...given: unknown[]): unknown =>
  Reflect.apply(tx()[verb], tx(), given);

const WAYS: Readonly<Record<string, (text: string) => unknown>> = {
  'query(sql)': (sql) => call('query', sql),
  'query(sql, values)': (sql) => call('query', sql, []),
  'query({ sql })': (sql) => call('query', { sql }),
  'query({ sql, values })': (sql) => call('query', { sql, values: [] }),
  'execute(sql)': (sql) => call('execute', sql),
  'execute(sql, values)': (sql) => call('execute', sql, []),
  'execute({ sql })': (sql) => call('execute', { sql }),
};

async function expectRefused(text: string, message: RegExp): Promise<void> {
  for (const [way, send] of Object.entries(WAYS))
    await expect(send(text), way).rejects.toMatchObject({
      code: 'InvalidInput',
      message: expect.stringMatching(message),
    });
  await expectClaimed();
}

describe('what would begin or end the transaction is not sent', () => {
  test.each([
    'BEGIN',
    'begin work',
    'START TRANSACTION',
    '\n start  transaction READ ONLY',
    'COMMIT',
    'Commit Work',
    'COMMIT AND CHAIN',
    'COMMIT RELEASE',
    'ROLLBACK',
    'ROLLBACK WORK AND CHAIN',
    "XA START 'one'",
    'SET autocommit = 1',
    "SET sql_mode = '', @@session.autocommit=ON",
    '/* api */ START TRANSACTION',
    '-- x\nBEGIN',
    '# x\n/**/ COMMIT',
    '/*!40101 COMMIT */',
    '/*M! COMMIT */',
    "/*! SET @a = '*/' ; COMMIT */",
    ' ;; COMMIT ;',
    'SELECT 1; COMMIT',
    "SELECT 'it''s; a text'; COMMIT; SELECT 2",
    String.raw`SELECT 'a \'; text', "a \"; text", ${'`a; name`'}; COMMIT`,
    'SELECT 1--1; COMMIT',
    'ROLLBACK TO SAVEPOINT own; COMMIT',
    'BEGIN NOT ATOMIC BEGIN COMMIT; END; END',
    'BEGIN NOT ATOMIC IF TRUE THEN COMMIT AND CHAIN; END IF; END',
    'BEGIN NOT ATOMIC DECLARE CONTINUE HANDLER FOR SQLEXCEPTION COMMIT; SELECT nothing; END',
    "BEGIN NOT ATOMIC DECLARE EXIT HANDLER FOR SQLSTATE '42S22', NOT FOUND BEGIN ROLLBACK; END; SELECT nothing; END",
    'IF TRUE THEN COMMIT; END IF',
    'IF FALSE THEN DO 1; ELSE SELECT 1; COMMIT AND CHAIN; END IF',
    'CASE 1 WHEN 1 THEN COMMIT AND CHAIN; END CASE',
    'FOR each IN 1..1 DO COMMIT AND CHAIN; END FOR',
    'REPEAT COMMIT AND CHAIN; UNTIL TRUE END REPEAT',
    'WHILE TRUE DO ROLLBACK; END WHILE',
    'LOOP COMMIT; END LOOP',
    'SET STATEMENT max_statement_time = 1 FOR COMMIT',
    "EXECUTE IMMEDIATE 'COMMIT AND CHAIN'",
    "PREPARE own FROM 'COMMIT'; EXECUTE own",
    'PREPARE own FROM /* this */ "ROLLBACK"',
    'SET `autocommit` = 0',
    'SET @@session.`autocommit` = 1',
    'SET "autocommit" = 1',
  ])('%j', (text) => expectRefused(text, /not sent.*SAVEPOINT/));
});

describe('what the server would commit by itself is not sent', () => {
  test.each([
    'CREATE TABLE scratch (id INT)',
    'create or replace view scratch as select 1',
    'CREATE INDEX scratch ON note (id)',
    'ALTER TABLE note ADD COLUMN more INT',
    'DROP TABLE IF EXISTS scratch',
    'TRUNCATE note',
    'TRUNCATE TABLE note',
    'RENAME TABLE note TO notes',
    'LOCK TABLES note WRITE',
    'UNLOCK TABLES',
    'ANALYZE TABLE note',
    'ANALYZE NO_WRITE_TO_BINLOG TABLE note',
    'OPTIMIZE TABLE note',
    'FLUSH TABLES',
    "GRANT SELECT ON note TO 'nobody'",
    "SET PASSWORD = 'x'",
    'CREATE PROCEDURE scratch() BEGIN COMMIT; END',
    'INSERT INTO note VALUES (2); /* then */ TRUNCATE note',
    '/*!50001 CREATE VIEW scratch AS SELECT 1 */',
    'BACKUP LOCK note',
    'SET STATEMENT max_statement_time = 1 FOR TRUNCATE note',
    "EXECUTE IMMEDIATE 'TRUNCATE note'",
    'IF TRUE THEN TRUNCATE note; END IF',
  ])('%j', (text) => expectRefused(text, /not sent.*commits.*another connection/));
});

describe("what would use a savepoint of the claim's is not sent", () => {
  test.each([
    'SAVEPOINT rowlock_handler',
    'savepoint `rowlock_handler`',
    'SELECT 1; SAVEPOINT /* mine */ Rowlock_Fence',
    'RELEASE SAVEPOINT rowlock_fence',
    'ROLLBACK TO SAVEPOINT rowlock_handler',
    'ROLLBACK WORK TO rowlock_settlement',
  ])('%j', (text) => expectRefused(text, /not sent.*another name/));
});

describe('what ends it behind quotes that the session has come to read otherwise is not sent, nor in a later run', () => {
  test.each([
    ['NO_BACKSLASH_ESCAPES', String.raw`SELECT 'a\'; COMMIT; SELECT 'b'`],
    ['NO_BACKSLASH_ESCAPES', String.raw`SELECT "a\"; TRUNCATE note; SELECT "b"`],
    ['NO_BACKSLASH_ESCAPES', String.raw`SELECT 'a' /*! , 'b\' */; COMMIT; SELECT 'c'`],
    ['NO_BACKSLASH_ESCAPES', String.raw`PREPARE own FROM 'SELECT "\"'; COMMIT; SELECT 'b'`],
    ['ANSI_QUOTES', String.raw`SELECT 1 AS "a\"; COMMIT; SELECT 1 AS "b"`],
    ['NO_BACKSLASH_ESCAPES', String.raw`SELECT 'a\'; SAVEPOINT rowlock_handler; SELECT 'b'`],
  ])('%s: %s', async (mode, text) => {
    const message = expect.stringMatching(/^(COMMIT|TRUNCATE|SAVEPOINT).* was not sent/);
    const refused = { code: 'InvalidInput', message };
    await expect(held.handle.query(`SET sql_mode = '${mode}'; ${text}`)).rejects.toMatchObject(refused);
    await held.handle.query(`SET sql_mode = '${mode}'`);
    for (const _ of ['this run', 'the next one']) {
      await expect(held.handle.query(text)).rejects.toMatchObject(refused);
      await held.handle.query(String.raw`SELECT 'a\\', 'b'; SELECT 1`);
      await expectClaimed();
    }
  });
});

describe('what leaves the transaction open is sent', () => {
  test.each([
    "SAVEPOINT rowlock_nested; SELECT 'SAVEPOINT rowlock_handler'; RELEASE SAVEPOINT rowlock_nested",
    'SAVEPOINT own; ROLLBACK TO own; ROLLBACK WORK TO SAVEPOINT own; ROLLBACK /* that */ TO own; RELEASE SAVEPOINT own',
    `SELECT 'COMMIT', '; COMMIT', "\\"; COMMIT", 1 AS ${'`; COMMIT`'} -- ; COMMIT`,
    'SELECT 1 /* ; COMMIT */ # ; COMMIT',
    'SELECT 4*/* ; COMMIT */2 AS begin_commit',
    "SET @autocommits = 'autocommit = 1'",
    'CREATE TEMPORARY TABLE own (id INT); DROP TEMPORARY TABLE own',
    "PREPARE own FROM 'SELECT 1'; EXECUTE own; DROP PREPARE own",
    `SELECT TRIM(LEADING '; COMMIT' FROM '; COMMIT'), '{"autocommit":true}', CASE WHEN TRUE THEN 1 ELSE 2 END`,
    'CHECKSUM TABLE note',
    'EXPLAIN SELECT id FROM note; SHOW CREATE TABLE note; DO 1',
  ])('%j', async (text) => {
    await held.handle.query(text);
    await expectClaimed();
  });
});

test.each([
  ['a callback', () => call('query', 'SELECT 1', () => {})],
  ['a callback behind values', () => call('execute', 'SELECT 1', [], () => {})],
  ['a callback of a COMMIT', () => call('query', 'COMMIT', () => {})],
])('a form of call that has no answer to await is refused at once: %s', async (_, send) => {
  expect(send).toThrow(
    expect.objectContaining({ code: 'InvalidInput', message: expect.stringMatching(/await/) }),
  );
  await expectClaimed();
});

test.each<[string, () => unknown]>([
  ['undefined', () => call('execute', undefined)],
  ['a number', () => call('query', 7)],
  ['an object without a text', () => call('execute', { sql: undefined })],
])('a statement that is no text is refused at once, and keeps the claim: %s', async (_, send) => {
  expect(send).toThrow(
    expect.objectContaining({ code: 'InvalidInput', message: expect.stringMatching(/no text/) }),
  );
  await expectClaimed();
});
