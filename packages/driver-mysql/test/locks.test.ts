import { randomUUID } from 'node:crypto';
import type { Driver } from '@rowlock/core';
import type { ClaimCriteria, ClaimSession, Job, NewJob, Settlement } from '@rowlock/core/driver';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createPool, type Pool } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { productIn, versionOf } from '../src/server-version.js';
import { statements } from '../src/statements.js';
import { recordLocks } from './record-locks.js';
import { serverUrl } from './server.js';

/** InnoDB locks what it looks at, not what it returns: so what it has locked is asked of the server itself. */
describe('the locks of a claim', () => {
  let pool: Pool;
  let driver: Driver<MysqlTransaction>;
  let schema: string;
  let url: string;
  let open: ClaimSession<MysqlTransaction>[];
  let drop: () => Promise<void>;

  const openDatabase = async (): Promise<void> => {
    const fresh = await freshMysqlDatabase(serverUrl);
    url = fresh.url;
    schema = new URL(url).pathname.slice(1);
    drop = fresh.drop;
    open = [];
    pool = createPool({ uri: url });
    driver = mysql({ uri: url });
    await driver.schema.migrate();
  };

  const rollback = async (): Promise<void> => {
    await Promise.all(open.splice(0).map((held) => held.rollback()));
  };

  const dropDatabase = async (): Promise<void> => {
    await rollback();
    await driver.close();
    await pool.end();
    await drop();
  };

  const begin = (): ClaimSession<MysqlTransaction> => {
    const held = driver.claims.session({ idleLimitMs: 60_000 });
    open.push(held);
    return held;
  };

  const claimMany = (
    held: ClaimSession<MysqlTransaction>,
    change?: Partial<ClaimCriteria>,
  ): Promise<readonly Job[]> => held.claim({ ...FROM_THE_START, ...change });

  const claim = async (
    held: ClaimSession<MysqlTransaction>,
    change?: Partial<ClaimCriteria>,
  ): Promise<Job | undefined> => (await claimMany(held, change))[0];

  /** The record locks on the jobs, of all transactions together. */
  const locks = async (): Promise<string[]> => {
    const found = await recordLocks(pool, schema, 'rowlock_job');
    return found.map(({ index, mode, key }) => `${index} ${mode} ${key}`).sort();
  };

  const isLocked = (...jobs: readonly (Job | undefined)[]): string[] =>
    jobs.map((job) => `PRIMARY X,REC_NOT_GAP ${job?.id}`).sort();

  const explain = async (sql: string, values: readonly (string | number)[]): Promise<Plan[]> => {
    const [rows] = await pool.execute<never>(`EXPLAIN FORMAT=TRADITIONAL ${sql}`, [...values]);
    return rows;
  };

  for (const [what, jobs, fill] of TABLES) {
    // These tests change nothing that is not rolled back.
    describe(`among ${what}`, () => {
      beforeAll(async () => {
        await openDatabase();
        for (const statement of fill) await pool.query(statement);
        await pool.query('ANALYZE TABLE rowlock_job');
      });
      afterEach(rollback);
      afterAll(dropDatabase);

      test('the places are walked in the order of their index, and locked by their primary keys', async () => {
        const { claim, claimFromPage } = statements(schema).claims;
        const text = productIn(await versionOf(pool)) === 'MySQL' ? claim : claimFromPage;
        const part = ['k', '', 'q', 34];
        const line =
          text === claim ? ['q', '', 0, '0', 0, ...part] : ['q', '', 0, '0', ...part, 'q', '', 0, ...part];
        for (const [from, values] of [
          ['start', ['q', '', ...part]],
          ['line', line],
        ] as const) {
          const given = text === claim ? values : [...values, 2];
          const plans = await explain(text(from, '', '?', '?'), given.map(String));
          const used = plans.filter(({ key }) => key !== null).map(({ table, key }) => `${table} ${key}`);
          // Those of `stop` are plain reads of the pauses, which lock nothing.
          const locked = used.filter((each) => !each.startsWith('stop '));
          expect(new Set(locked)).toEqual(new Set(['job PRIMARY', 'place job_claim']));
          expect(plans.map(({ Extra }) => Extra ?? '').join()).not.toMatch(/filesort/);
        }
      });

      test('each claim locks one row, and the next worker gets the next row', async () => {
        const met: Job[] = [];
        for (let worker = 0; worker < 4; worker++) {
          const job = await claim(begin());
          if (job !== undefined) met.push(job);
          expect(await locks()).toEqual(isLocked(...met));
        }
        expect(met).toHaveLength(Math.min(4, jobs));
        expect(new Set(met.map(({ id }) => id)).size).toBe(met.length);
        const inOrder = [...met].sort((a, b) => a.priority - b.priority || Number(a.id - b.id));
        expect(met).toEqual(inOrder);
      });

      test('a claim of many locks as many as it returns, and the next worker gets the next ones', async () => {
        const met: Job[] = [];
        for (const limit of [3, 40, 1]) {
          met.push(...(await claimMany(begin(), { limit })));
          expect(await locks()).toEqual(isLocked(...met));
        }
        expect(met).toHaveLength(Math.min(44, jobs));
        const inOrder = [...met].sort((a, b) => a.priority - b.priority || Number(a.id - b.id));
        expect(met).toEqual(inOrder);
        expect(new Set(met.map(({ id }) => id)).size).toBe(met.length);
      });

      test('a claim that finds nothing locks nothing', async () => {
        const held = begin();
        expect(await claim(held, { kinds: ['another'] })).toBeUndefined();
        expect(await claim(held, { queue: 'another' })).toBeUndefined();
        expect(await locks()).toEqual([]);
      });
    });
  }

  // Each of these tests leaves its jobs as they were.
  describe('among jobs of all tests', () => {
    beforeAll(async () => {
      await openDatabase();
      await driver.close();
      driver = mysql({ uri: url, multipleStatements: true });
      await pool.query('CREATE TABLE looked_at (id INT)');
      await pool.query(
        'CREATE PROCEDURE peeks() BEGIN START TRANSACTION; COMMIT; SELECT id FROM looked_at; END',
      );
      await pool.query('CREATE PROCEDURE tells(OUT told INT) SET told = 1');
    });
    afterEach(rollback);
    afterAll(dropDatabase);

    test.each(['CALL peeks()', "SET @ends = 'COMMIT AND CHAIN'; PREPARE ends FROM @ends; EXECUTE ends"])(
      'a handler that ends the transaction by %s, so that another one is open, has lost the claim',
      async (statement) => {
        await driver.jobs.enqueue([newJob()]);
        const lost = begin();
        await claim(lost);
        await lost.handle.query(statement);
        await expect(lost.renew()).rejects.toMatchObject({ code: 'ConnectionLost' });
        await lost.rollback();
        const undone = begin();
        await claim(undone);
        await undone.handle.query(statement);
        await expect(undone.undo()).rejects.toMatchObject({ code: 'ConnectionLost' });
        await undone.rollback();
        const held = begin();
        const job = await claim(held);
        await held.handle.query(statement);
        await expect(held.settle([settled(job)])).rejects.toMatchObject({ code: 'ConnectionLost' });
        expect(held.lost.aborted).toBe(true);
        await held.rollback();
        expect((await claim(begin()))?.id).toBe(job?.id);
      },
    );

    test.each([
      '/* mine */ SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ',
      "/*!40101 SET sql_mode = '' */",
      "-- mine\nSET sql_mode = ''",
      'CREATE TEMPORARY TABLE mine (id INT)',
      "SELECT GET_LOCK('mine', 0)",
      'SELECT 1 INTO @mine',
      'SELECT @mine := 1',
      "PREPARE mine FROM 'SELECT 1'",
      'CALL tells(@mine)',
      "SELECT 1; SET sql_mode = ''",
    ])('what a handler leaves in its session is not there for a later claim: %j', async (statement) => {
      await driver.jobs.enqueue([newJob()]);
      const held = begin();
      const job = await claim(held);
      const [[self]] = await held.handle.query('SELECT CONNECTION_ID() AS id');
      await held.handle.query(statement);
      expect(held.lost.aborted).toBe(false);
      await held.rollback();
      const next = begin();
      expect((await claim(next))?.id).toBe(job?.id);
      const [[other]] = await next.handle.query('SELECT CONNECTION_ID() AS id');
      expect(other.id).not.toBe(self.id);
    });
  });

  describe('among jobs of each test', () => {
    beforeEach(openDatabase);
    afterEach(dropDatabase);

    test('a claim looks beyond what others have locked, however much that is', async () => {
      const enqueued = await driver.jobs.enqueue(
        Array.from({ length: 200 }, (_, n) => newJob({ priority: n % 2 })),
      );
      const first = await claimMany(begin(), { limit: 150 });
      expect(first).toHaveLength(150);
      const rest = await claimMany(begin(), { limit: 100 });
      const publicIds = [...first, ...rest].map(({ publicId }) => publicId);
      expect(new Set(publicIds)).toEqual(new Set(enqueued.map(({ publicId }) => publicId)));
      expect(await locks()).toEqual(isLocked(...first, ...rest));
      expect(await claimMany(begin(), { limit: 100 })).toEqual([]);
    });

    test('a claim behind thousands of locked jobs of one key finds what is free in a handful of statements', async () => {
      await driver.jobs.enqueue(Array.from({ length: 3_000 }, () => newJob({ key: 'busy' })));
      await driver.jobs.enqueue([newJob({ key: 'busy' }), newJob({ key: 'free' }), newJob()]);
      const holder = begin();
      await holder.lockSiblings({ queue: 'q', keys: ['busy'] }, 1);
      const held = begin();
      const asked = async (): Promise<number> => {
        const [[row]] = await held.handle.query("SHOW SESSION STATUS LIKE 'Com_stmt_execute'");
        return Number(row.Value);
      };
      const before = await asked();
      expect((await claimMany(held, { limit: 10 })).map(({ key }) => key)).toEqual(['free', null]);
      // 91 windows of 33 would be 182.
      expect((await asked()) - before).toBeLessThan(10);
    });

    test('the siblings of many keys are locked by their primary keys, those of each key up to the limit returned', async () => {
      const keys = ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c'];
      await driver.jobs.enqueue(keys.map((key) => newJob({ key })));
      const held = begin();
      const jobs = await held.lockSiblings({ queue: 'q', keys: ['a', 'b'] }, 2);
      expect(jobs.map(({ key }) => key)).toEqual(['a', 'b', 'a', 'b']);
      expect((await locks()).length).toBe(6);
      expect(new Set((await locks()).map((lock) => lock.split(' ')[0]))).toEqual(new Set(['PRIMARY']));
      const other = begin();
      await expect(other.lockSiblings({ queue: 'q', keys: ['c', 'b'] }, 2)).rejects.toMatchObject({
        code: 'LockNotAvailable',
      });
    });

    test('a key of thousands of jobs is refused for its first ones before the others are read', async () => {
      await driver.jobs.enqueue(Array.from({ length: 5_000 }, () => newJob({ key: 'busy' })));
      await claim(begin());
      const held = begin();
      const reads = async (): Promise<number> => {
        const [[row]] = await held.handle.query("SHOW SESSION STATUS LIKE 'Handler_read_next'");
        return Number(row.Value);
      };
      const before = await reads();
      await expect(held.lockSiblings({ queue: 'q', keys: ['busy'] }, 1)).rejects.toMatchObject({
        code: 'LockNotAvailable',
      });
      expect((await reads()) - before).toBeLessThan(2_000);
    });

    test("MariaDB's block of statements is none", async () => {
      await driver.jobs.enqueue([newJob()]);
      const held = begin();
      await claim(held);
      const block = 'BEGIN NOT ATOMIC SET @x = 1; BEGIN SET @y = 2; END; END';
      const answer = await held.handle.query(block).catch(({ code }) => code);
      // MySQL does not know it.
      if (!Array.isArray(answer)) expect(answer).toBe('ER_PARSE_ERROR');
      expect(held.lost.aborted).toBe(false);
    });

    test('a handler that calls a procedure which commits, and returns rows too, has lost the claim', async () => {
      await pool.query('CREATE PROCEDURE looks() BEGIN SELECT 0 AS serverStatus; END');
      await pool.query('CREATE PROCEDURE commits() BEGIN SELECT 1; COMMIT; SELECT 2; END');
      await driver.jobs.enqueue([newJob()]);
      const held = begin();
      const job = await claim(held);
      await held.handle.query('CALL looks()');
      await held.handle.query('SELECT 0 AS affectedRows, 0 AS serverStatus');
      expect(held.lost.aborted).toBe(false);
      await held.handle.query('CALL commits()');
      expect(held.lost.aborted).toBe(true);
      await expect(held.settle([settled(job)])).rejects.toBe(held.lost.reason);
    });

    test('a handler that lets its connection commit by itself has lost the claim, and no later claim is on that connection', async () => {
      await driver.jobs.enqueue([newJob()]);
      const held = begin();
      const job = await claim(held);
      const [[self]] = await held.handle.query('SELECT CONNECTION_ID() AS id');
      await held.handle.query("SET @lets = 'SET autocommit = 1'");
      await held.handle.query('PREPARE lets FROM @lets');
      await held.handle.query('EXECUTE lets');
      expect(held.lost.aborted).toBe(true);
      await held.rollback();
      const next = begin();
      expect((await claim(next))?.id).toBe(job?.id);
      const [[other]] = await next.handle.query('SELECT CONNECTION_ID() AS id');
      expect(other.id).not.toBe(self.id);
      expect(await locks()).toEqual(isLocked(job));
    });

    test('a producer inserts while jobs are held, before and behind them, and while a claim found nothing', async () => {
      await driver.jobs.enqueue(Array.from({ length: 5 }, () => newJob()));
      for (let worker = 0; worker < 5; worker++) expect(await claim(begin())).toBeDefined();
      expect(await claim(begin())).toBeUndefined();
      // Were it to wait, it would wait for transactions that end only after it.
      const enqueued = await driver.jobs.enqueue([
        newJob({ priority: -1 }),
        newJob(),
        newJob({ priority: 1 }),
      ]);
      expect(enqueued.map(({ outcome }) => outcome)).toEqual(['enqueued', 'enqueued', 'enqueued']);
      expect(open.map(({ lost }) => lost.aborted)).not.toContain(true);
    });

    test('a duplicate of a job that is held is told so while it is held', async () => {
      const unique = { key: 'once', scope: 'outstanding' } as const;
      const [original] = await driver.jobs.enqueue([newJob({ unique })]);
      const held = begin();
      expect((await claim(held))?.publicId).toBe(original?.publicId);
      expect(await driver.jobs.enqueue([newJob({ unique })])).toEqual([
        { outcome: 'duplicate', publicId: original?.publicId },
      ]);
      expect(held.lost.aborted).toBe(false);
    });

    test('a job is settled while a caller that was told of it as a duplicate has not committed', async () => {
      const unique = { key: 'once', scope: 'outstanding' } as const;
      await driver.jobs.enqueue([newJob({ unique })]);
      const held = begin();
      const job = await claim(held);
      const caller = await pool.getConnection();
      await caller.query('START TRANSACTION');
      expect(await driver.join(caller).jobs.enqueue([newJob({ unique })])).toEqual([
        { outcome: 'duplicate', publicId: job?.publicId },
      ]);
      expect(await held.settle([settled(job)])).toEqual([job?.id]);
      await held.commit();
      await caller.query('ROLLBACK');
      caller.release();
    });

    test('after a deadlock nothing more is written, by the handler or by the settlement', async () => {
      await pool.query('CREATE TABLE scratch (id INT PRIMARY KEY, note VARCHAR(20) NOT NULL)');
      await pool.query("INSERT INTO scratch VALUES (1, 'as it was'), (2, 'as it was')");
      await driver.jobs.enqueue([newJob()]);
      const held = begin();
      const job = await claim(held);
      const { handle } = held;
      await handle.query("UPDATE scratch SET note = 'handler' WHERE id = 1");

      const other = await pool.getConnection();
      await other.query('START TRANSACTION');
      await other.query("UPDATE scratch SET note = 'other' WHERE id = 2");
      // The server ends the one that has written less.
      await other.query(
        `INSERT INTO scratch SELECT 100 + place, 'other' FROM JSON_TABLE(?, '$[*]' COLUMNS (place FOR ORDINALITY)) AS many`,
        [JSON.stringify(Array.from({ length: 100 }, () => 0))],
      );
      const waiting = other.query("UPDATE scratch SET note = 'other' WHERE id = 1");
      await somebodyWaits(pool, schema);

      const written = await Promise.allSettled([
        handle.query("UPDATE scratch SET note = 'handler' WHERE id = 2"),
        // Sent without waiting for the one before.
        handle.query("INSERT INTO scratch VALUES (3, 'by itself')"),
        handle.execute("INSERT INTO scratch VALUES (4, 'by itself')"),
        held.settle([settled(job)]),
        held.commit(),
      ]);
      expect(written.map(({ status }) => status)).toEqual(written.map(() => 'rejected'));
      expect(written.slice(3)).toMatchObject([
        { reason: { code: 'Deadlock' } },
        { reason: { code: 'Deadlock' } },
      ]);
      await expect(handle.query("INSERT INTO scratch VALUES (5, 'by itself')")).rejects.toMatchObject({
        code: 'TransactionOver',
      });

      await waiting;
      await other.query('ROLLBACK');
      other.release();
      const [rows] = await pool.query('SELECT * FROM scratch ORDER BY id');
      expect(rows).toEqual([
        { id: 1, note: 'as it was' },
        { id: 2, note: 'as it was' },
      ]);
      await held.rollback();
      expect((await claim(begin()))?.id).toBe(job?.id);
    });
  });
});

interface Plan {
  readonly table: string | null;
  readonly key: string | null;
  readonly Extra: string | null;
}

const FROM_THE_START: ClaimCriteria = {
  queue: 'q',
  kinds: ['k'],
  line: { priority: -32_768, id: 0n },
  busy: [],
  limit: 1,
};

/** So many rows as one statement: 10 to the power of `digits`. */
function rows(digits: number, columns: string, values: string): string {
  const tables = Array.from({ length: digits }, (_, n) => `(${TEN}) AS d${n}`);
  const number = Array.from({ length: digits }, (_, n) => `d${n}.n * ${10 ** n}`).join(' + ');
  return `INSERT INTO rowlock_job (queue, kind, ${columns}) SELECT 'q', 'k', ${values.replaceAll('#', `(${number})`)} FROM ${tables.join(' JOIN ')}`;
}

const TEN = Array.from({ length: 10 }, (_, n) => `SELECT ${n} AS n`).join(' UNION ALL ');
const FUTURE = 'UTC_TIMESTAMP(6) + INTERVAL 1 HOUR';

const TABLES: readonly (readonly [what: string, jobs: number, fill: readonly string[]])[] = [
  ['no rows', 0, []],
  [
    'five rows',
    5,
    [
      "INSERT INTO rowlock_job (queue, kind) VALUES ('q', 'k'), ('q', 'k'), ('q', 'k'), ('q', 'k'), ('q', 'k')",
    ],
  ],
  [
    '10,000 jobs of a limit and ten without',
    10,
    [rows(4, 'limits', `'{"a":1}'`), rows(1, 'priority', '# % 3')],
  ],
  ['10,000 rows of five priorities', 10_000, [rows(4, 'priority', '# % 5 - 2')]],
  [
    '10,000 rows behind 1,000 that are not due and 1,000 that are marked due too early',
    10_000,
    [
      rows(3, 'priority, available_at, due', `-1, ${FUTURE}, FALSE`),
      rows(3, 'priority, available_at, due', `-1, ${FUTURE}, TRUE`),
      rows(4, 'priority', '0'),
    ],
  ],
  [
    '100,000 settled rows and ten new ones',
    10,
    [rows(5, 'status, finished_at', "'complete', UTC_TIMESTAMP(6)"), rows(1, 'priority', '# % 3')],
  ],
];

function newJob(change: Partial<NewJob> = {}): NewJob {
  return {
    queue: 'q',
    kind: 'k',
    key: null,
    payload: {},
    priority: 0,
    available: { inMs: 0 },
    maxAttempts: 5,
    unique: null,
    metadata: {},
    limits: '',
    createdBy: 'test',
    ...change,
  };
}

function settled(job: Job | undefined): Settlement {
  return {
    id: job?.id ?? 0n,
    runId: randomUUID(),
    event: 'complete',
    attempt: 1,
    crashes: 0,
    delayMs: 0,
    tookMs: 0,
    output: null,
    error: null,
    by: 'test',
  };
}

/** Until somebody waits for a lock on the table `scratch`. */
async function somebodyWaits(pool: Pool, schema: string): Promise<void> {
  const look = async (): Promise<void> => {
    const locks = await recordLocks(pool, schema, 'scratch');
    expect(locks.some(({ isWaiting }) => isWaiting)).toBe(true);
  };
  await vi.waitFor(look, 30_000);
}
