import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  AuditRow,
  DriverHarness,
  DriverProcess,
  JobChange,
  JobRow,
  Reader,
  RunRow,
  Samples,
  TestDatabase,
  Wait,
} from '@rowlock/driver-conformance';
import { wayTo } from '@rowlock/driver-conformance/internal';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection, createPool, type Pool, type PoolConnection } from 'mysql2/promise';
import { toDriverError } from '../src/errors.js';
import { identifier } from '../src/identifier.js';
import { type MysqlTransaction, mysql } from '../src/index.js';
import { nameOf, type Session, sessionsOf, watchTransactions } from './sessions.js';

/** Fresh databases on one server, and drivers whose connections the server can name and the test can cut. */
export function openMysqlHarness(
  serverUrl: string,
  product: 'mysql' | 'mariadb',
  sessions: 'auto' | 'shared' = 'auto',
): DriverHarness<MysqlTransaction> {
  return {
    database: () => openDatabase(serverUrl, product, sessions),
    close: async () => {},
  };
}

async function openDatabase(
  serverUrl: string,
  product: 'mysql' | 'mariadb',
  usual: 'auto' | 'shared',
): Promise<TestDatabase<MysqlTransaction>> {
  const fresh = await freshMysqlDatabase(serverUrl);
  const schema = databaseOf(fresh.url);
  const plain = plainPool(fresh.url, 40);
  await watchTransactions(plain);
  const alive = new Set<string>();
  const users: string[] = [];
  let opened = 0;
  const rowsOf = async (sql: string): Promise<readonly Wait[]> => {
    const [rows] = await plain.query<never>(sql);
    return rows;
  };
  const waitsOfMariadb = rarely(() => rowsOf(MARIADB_WAITS), MARIADB_PAUSE_MS);

  return {
    url: fresh.url,
    reader: openReader(plain),
    samples: { ...samples(plain, fresh.url, product), ...(product === 'mariadb' && MARIADB_SAMPLES) },
    mishaps: {
      async truncate(table) {
        await plain.query(`TRUNCATE rowlock_${table}`);
      },
      async refuse(text) {
        const held = "CONCAT(COALESCE(CAST(output AS CHAR), ''), COALESCE(CAST(error AS CHAR), ''))";
        await plain.query(
          `ALTER TABLE rowlock_job ADD CHECK (${held} NOT LIKE ${plain.escape(`%${text}%`)})`,
        );
      },
      // A deadlock is the second, as a settlement alone is repeated ten times for it.
      passing: ['1205', '1213', '3572', '3024'],
      async refuseRows(verb, text, code) {
        await plain.query(`DROP TRIGGER IF EXISTS refuse_${verb}`);
        if (text === null) return;
        const row = verb === 'INSERT' ? 'NEW' : 'OLD';
        await plain.query(`
          CREATE TRIGGER refuse_${verb} BEFORE ${verb} ON rowlock_job FOR EACH ROW BEGIN
            IF CAST(${row}.payload AS CHAR) LIKE ${plain.escape(`%${text}%`)} THEN
              SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'this job is not welcome'${code === undefined ? '' : `, MYSQL_ERRNO = ${code}`};
            END IF;
          END`);
      },
    },

    async process({ sessions = usual, answerMs, cable = false, mostConnections } = {}) {
      const name = `process ${++opened}`;
      alive.add(name);
      const own =
        mostConnections === undefined ? fresh.url : await limited(plain, fresh.url, mostConnections);
      if (own !== fresh.url) users.push(identifier(new URL(own).username));
      const place = { url: own, cable, sessions };
      return openProcess(plain, place, name, answerMs, () => alive.delete(name));
    },

    async caller() {
      const client = await plain.getConnection();
      await client.query('START TRANSACTION');
      let open = true;
      const end = (statement: string) => async () => {
        if (!open) return;
        open = false;
        await client.query(statement).finally(() => client.release());
      };
      return { tx: client, commit: end('COMMIT'), rollback: end('ROLLBACK') };
    },

    async run(tx, sql) {
      const [rows] = await tx.query(sql);
      return Array.isArray(rows) ? rows : [];
    },

    async leaks() {
      const found = await sessionsOf(plain, schema);
      return found
        .filter(({ name, inTransaction }) => inTransaction || (name !== PLAIN && !alive.has(name)))
        .map(described);
    },

    async openTransactions() {
      const found = await sessionsOf(plain, schema);
      return found.filter(({ inTransaction }) => inTransaction).map(described);
    },

    async waits() {
      return product === 'mariadb' ? waitsOfMariadb() : rowsOf(WAITS);
    },

    async close() {
      for (const user of users) await plain.query(`DROP USER ${user}`);
      await plain.end();
      await fresh.drop();
    },
  };
}

/** Makes a user that may have so many connections, and returns the URL for it. */
async function limited(plain: Pool, url: string, mostConnections: number): Promise<string> {
  const own = new URL(url);
  own.username = `limited_${randomUUID().slice(0, 8)}`;
  own.password = 'change-me';
  const user = identifier(own.username);
  await plain.query(
    `CREATE USER ${user} IDENTIFIED BY 'change-me' WITH MAX_USER_CONNECTIONS ${mostConnections}`,
  );
  await plain.query(`GRANT ALL ON ${identifier(databaseOf(url))}.* TO ${user}`);
  return own.href;
}

/** The name of the connections that the tests have for themselves. */
const PLAIN = 'plain';

function described({ name, statement, inTransaction }: Session): string {
  return `${name}${inTransaction ? ', in a transaction' : ''}: ${statement}`;
}

function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

/**
 * By the transactions, not by the threads that the waits name: where a row has moved to another page, that is the thread which
 * moved it. A transaction's own thread is that of its locks on tables. The sessions' names begin with the database's.
 */
const WAITS = `
  SELECT SUBSTRING(waiting.attr_value, LENGTH(DATABASE()) + 2) AS waiting,
         SUBSTRING(holder.attr_value, LENGTH(DATABASE()) + 2) AS holder
  FROM performance_schema.data_lock_waits AS w
  JOIN performance_schema.data_locks AS a
    ON a.engine_transaction_id = w.requesting_engine_transaction_id AND a.lock_type = 'TABLE'
  JOIN performance_schema.data_locks AS b
    ON b.engine_transaction_id = w.blocking_engine_transaction_id AND b.lock_type = 'TABLE'
  JOIN performance_schema.threads AS ta ON ta.thread_id = a.thread_id AND ta.processlist_db = DATABASE()
  JOIN performance_schema.threads AS tb ON tb.thread_id = b.thread_id
  JOIN performance_schema.session_connect_attrs AS waiting
    ON waiting.processlist_id = ta.processlist_id AND waiting.attr_name = 'program_name'
  JOIN performance_schema.session_connect_attrs AS holder
    ON holder.processlist_id = tb.processlist_id AND holder.attr_name = 'program_name'
  GROUP BY ta.processlist_id, waiting.attr_value, holder.attr_value`;

/** The server renews what it tells of its transactions only when nobody has asked for 100 ms. */
const MARIADB_PAUSE_MS = 120;

const MARIADB_WAITS = `
  SELECT SUBSTRING(waiting.attr_value, LENGTH(DATABASE()) + 2) AS waiting,
         SUBSTRING(holder.attr_value, LENGTH(DATABASE()) + 2) AS holder
  FROM information_schema.innodb_lock_waits AS w
  JOIN information_schema.innodb_trx AS a ON a.trx_id = w.requesting_trx_id
  JOIN information_schema.innodb_trx AS b ON b.trx_id = w.blocking_trx_id
  JOIN performance_schema.session_connect_attrs AS waiting
    ON waiting.processlist_id = a.trx_mysql_thread_id AND waiting.attr_name = 'program_name'
    AND SUBSTRING_INDEX(waiting.attr_value, ' ', 1) = DATABASE()
  JOIN performance_schema.session_connect_attrs AS holder
    ON holder.processlist_id = b.trx_mysql_thread_id AND holder.attr_name = 'program_name'
  GROUP BY a.trx_mysql_thread_id, waiting.attr_value, holder.attr_value`;

/** Asks, and not again before `pauseMs` are over. */
function rarely<Answer>(ask: () => Promise<Answer>, pauseMs: number): () => Promise<Answer> {
  let until = 0;
  return async () => {
    await sleep(Math.max(0, until - performance.now()));
    try {
      return await ask();
    } finally {
      until = performance.now() + pauseMs;
    }
  };
}

function plainPool(url: string, connectionLimit: number): Pool {
  return createPool({
    uri: url,
    connectionLimit,
    timezone: 'Z',
    supportBigNumbers: true,
    bigNumberStrings: true,
    jsonStrings: true,
    connectAttributes: nameOf(databaseOf(url), PLAIN),
  });
}

interface Place {
  readonly url: string;
  readonly cable: boolean;
  readonly sessions: 'auto' | 'own' | 'shared';
}

async function openProcess(
  plain: Pool,
  { url, cable, sessions }: Place,
  name: string,
  answerMs: number | undefined,
  ended: () => void,
): Promise<DriverProcess<MysqlTransaction>> {
  const { hostname, port, username, password } = new URL(url);
  const schema = databaseOf(url);
  const way = await wayTo({ host: hostname, port: Number(port) }, cable);
  const { stream } = way;
  const driver = mysql({
    host: way.host,
    port: way.port,
    ...(stream && { stream: () => stream().connect(way.port, way.host) }),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: schema,
    connectAttributes: nameOf(schema, name),
    maxConnections: 20,
    ...(answerMs !== undefined && { answerTimeout: answerMs }),
    sessions,
  });
  const ownSessions = async (): Promise<readonly bigint[]> => {
    const all = await sessionsOf(plain, schema);
    return all.filter((session) => session.name === name).map(({ id }) => id);
  };
  let closing: Promise<void> | undefined;
  return {
    name,
    driver,
    sessions: async () => (await ownSessions()).map(String),
    async disconnect() {
      // In one flight: a worker must not come back on one connection while the others are still to be ended.
      const ids = await ownSessions();
      await Promise.all(ids.map((id) => plain.query(`KILL ${id}`).catch(() => {})));
    },
    forget: async () => way.cable().forget(),
    kill: () => way.sever(),
    swallow: async () => way.cable().swallow(),
    close() {
      closing ??= driver
        .close()
        .then(() => way.sever())
        .finally(ended);
      return closing;
    },
  };
}

/** The table's columns by the names that the suite has for them. */
const COLUMNS = {
  id: 'id',
  publicId: 'public_id',
  queue: 'queue',
  kind: 'kind',
  key: '`key`',
  payload: 'payload',
  priority: 'priority',
  status: 'status',
  attempt: 'attempt',
  maxAttempts: 'max_attempts',
  crashes: 'crashes',
  redrives: 'redrives',
  uniqueKey: 'unique_key',
  metadata: 'metadata',
  limits: 'limits',
  output: 'output',
  error: 'error',
  runId: 'process_id',
  availableAt: 'available_at',
  createdAt: 'created_at',
  createdBy: 'created_by',
  startedAt: 'started_at',
  startedBy: 'started_by',
  finishedAt: 'finished_at',
  finishedBy: 'finished_by',
} as const satisfies Record<keyof JobRow, string>;

const JSON_COLUMNS: ReadonlySet<string> = new Set(['payload', 'metadata', 'output', 'error']);

const SELECT_JOB = `SELECT ${Object.entries(COLUMNS)
  .map(([name, column]) => `${column} AS \`${name}\``)
  .join(', ')} FROM rowlock_job`;

/** A run, with its start as text, which has the microseconds too. */
type StartedRow = RunRow & { readonly started: string };

/** Of a run that has completed its job the job's row says so, also where there is no other record of it. */
function completed({ status, runId, startedAt, finishedAt }: JobRow, runs: readonly RunRow[]): RunRow[] {
  if (status !== 'complete' || runId === null) return [...runs];
  const end = { finishedAt, outcome: 'complete' };
  const alone = { runId, workerId: null, startedAt: startedAt ?? new Date(Number.NaN), progress: null };
  return runs.some((run) => run.runId === runId)
    ? runs.map((run) => (run.runId === runId ? { ...run, ...end } : run))
    : [...runs, { ...alone, ...end }];
}

function openReader(plain: Pool): Reader {
  const jobs = async (where: string, value: string): Promise<readonly JobRow[]> => {
    const [rows] = await plain.query<never>(`${SELECT_JOB} WHERE ${where} ORDER BY id`, [value]);
    return (rows as (Omit<JobRow, 'id'> & { id: string })[]).map((row) => ({
      ...row,
      id: BigInt(row.id),
      payload: parsed(row.payload),
      metadata: parsed(row.metadata),
      output: parsed(row.output),
      error: parsed(row.error),
    }));
  };
  return {
    job: async (publicId) => (await jobs('public_id = ?', publicId))[0],
    jobs: (queue) => jobs('queue = ?', queue),

    async runs(publicId) {
      const [job] = await jobs('public_id = ?', publicId);
      if (job === undefined) return [];
      const [own] = await plain.query<never>(
        `SELECT process_id AS runId, CAST(worker_id AS CHAR) AS workerId, started_at AS startedAt,
                CAST(started_at AS CHAR) AS started, finished_at AS finishedAt, outcome, progress
         FROM rowlock_run WHERE job_id = ?`,
        [job.id],
      );
      const [open] = await plain.query<never>(
        `SELECT process_id AS runId, CAST(worker_id AS CHAR) AS workerId, started_at AS startedAt,
                CAST(started_at AS CHAR) AS started, NULL AS finishedAt, NULL AS outcome, NULL AS progress
         FROM rowlock_open_run WHERE JSON_CONTAINS(job_ids, CAST(? AS CHAR))`,
        [job.id],
      );
      const known = new Set((own as readonly StartedRow[]).map(({ runId }) => runId));
      const together = (open as readonly StartedRow[]).filter(({ runId }) => !known.has(runId));
      // The server would sort them with all that is in them, for which its memory may be too small. Two may start in one millisecond.
      const runs = [...(own as readonly StartedRow[]), ...together]
        .toSorted((a, b) => (a.started < b.started ? -1 : 1))
        .map(({ started, ...row }) => ({ ...row, progress: parsed(row.progress) }));
      return completed(job, runs);
    },

    async orphans() {
      const [rows] = await plain.query<never>(
        'SELECT run.job_id FROM rowlock_run AS run LEFT JOIN rowlock_job AS job ON job.id = run.job_id WHERE job.id IS NULL',
      );
      return (rows as readonly unknown[]).length;
    },

    async slots(name) {
      const [rows] = await plain.query<never>('SELECT n FROM rowlock_limit_slot WHERE name = ?', [name]);
      return (rows as readonly unknown[]).length;
    },

    async audit(by) {
      const [rows] = await plain.query<never>(
        'SELECT action, scope, name, details FROM rowlock_audit WHERE operator = ? ORDER BY id',
        [by],
      );
      return (rows as AuditRow[]).map((row) => ({ ...row, details: parsed(row.details) }));
    },

    async rate(name) {
      const [rows] = await plain.query<never>(
        `SELECT CAST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', next_at) AS CHAR) AS nextUs, last_take AS lastTake
         FROM rowlock_rate WHERE name = ?`,
        [name],
      );
      const [row] = rows as { nextUs: string; lastTake: string | null }[];
      return row && { nextMs: Number(row.nextUs) / 1_000, lastTake: row.lastTake };
    },

    async moveRate(name, byMs) {
      await plain.query(
        'UPDATE rowlock_rate SET next_at = next_at + INTERVAL ROUND(? * 1000) MICROSECOND WHERE name = ?',
        [byMs, name],
      );
    },

    async lockRate(name) {
      const client = await plain.getConnection();
      await client.query('START TRANSACTION');
      await client.query('SELECT name FROM rowlock_rate WHERE name = ? FOR UPDATE', [name]);
      return async () => {
        await client.query('ROLLBACK');
        client.release();
      };
    },

    async now() {
      const [rows] = await plain.query<never>('SELECT UTC_TIMESTAMP(6) AS now');
      return (rows as { now: Date }[])[0]?.now ?? new Date(Number.NaN);
    },

    async insert({ queue, kind, payload, key = null }) {
      const [result] = await plain.query<never>(
        'INSERT INTO rowlock_job (queue, kind, payload, `key`) VALUES (?, ?, ?, ?)',
        [queue, kind, JSON.stringify(payload), key],
      );
      const { insertId } = result as { insertId: number };
      const [row] = await jobs('id = ?', String(insertId));
      return row?.publicId ?? '';
    },

    async write(publicId, change) {
      const columns = changed(change);
      const set = columns.map(([column]) => `${column} = ?`).join(', ');
      const values = columns.map(([, value]) => value);
      await plain.query(`UPDATE rowlock_job SET ${set} WHERE public_id = ?`, [...values, publicId]);
    },

    async moveSchedule(name, nextAt) {
      await plain.query('UPDATE rowlock_schedule SET next_at = ? WHERE name = ?', [nextAt, name]);
    },

    async exec(sql) {
      const [rows] = await plain.query<never>(sql);
      return Array.isArray(rows) ? rows : [];
    },
  };
}

/** The client would make text of whole numbers beyond 2^53. */
function parsed<Value>(json: Value): Value {
  return typeof json === 'string' ? JSON.parse(json) : json;
}

function changed(change: JobChange): readonly (readonly [column: string, value: unknown])[] {
  const names: Readonly<Record<string, string>> = COLUMNS;
  return Object.entries(change).map(([name, value]) => {
    const column = names[name] ?? '';
    if (typeof value === 'bigint') return [column, String(value)];
    return [column, JSON_COLUMNS.has(column) && value !== null ? JSON.stringify(value) : value];
  });
}

const MARIADB_SAMPLES: Partial<Samples> = {
  LockNotAvailable: {
    because:
      'MariaDB has one code, 1205, for NOWAIT and for a wait that was too long; lockSiblings knows which it was.',
  },
};

const THOUSAND = 'WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 1000)';

/** Work that the server refuses with each of its codes. */
function samples(plain: Pool, url: string, product: 'mysql' | 'mariadb'): Samples {
  /** Two transactions; rejects with the first error of either, and leaves neither open. */
  async function twoTransactions(
    work: (a: PoolConnection, b: PoolConnection) => Promise<unknown>,
  ): Promise<void> {
    await plain.query('CREATE TABLE IF NOT EXISTS sample (id integer PRIMARY KEY, note text)');
    await plain.query("INSERT IGNORE INTO sample VALUES (1, 'a'), (2, 'b')");
    const [a, b] = [await plain.getConnection(), await plain.getConnection()];
    try {
      await a.query('START TRANSACTION');
      await b.query('START TRANSACTION');
      await work(a, b);
    } catch (error) {
      throw toDriverError(error);
    } finally {
      for (const client of [a, b]) {
        await client.query('ROLLBACK');
        client.release();
      }
    }
  }

  return {
    LockNotAvailable: () =>
      twoTransactions(async (a, b) => {
        await a.query('SELECT * FROM sample WHERE id = 1 FOR UPDATE');
        await b.query('SELECT * FROM sample WHERE id = 1 FOR UPDATE NOWAIT');
      }),
    LockTimeout: () =>
      twoTransactions(async (a, b) => {
        await b.query('SET SESSION innodb_lock_wait_timeout = 1');
        await a.query('SELECT * FROM sample WHERE id = 1 FOR UPDATE');
        await b.query('SELECT * FROM sample WHERE id = 1 FOR UPDATE');
      }),
    Deadlock: () =>
      twoTransactions(async (a, b) => {
        await a.query('SELECT * FROM sample WHERE id = 1 FOR UPDATE');
        await b.query('SELECT * FROM sample WHERE id = 2 FOR UPDATE');
        const both = await Promise.allSettled([
          a.query('SELECT * FROM sample WHERE id = 2 FOR UPDATE'),
          b.query('SELECT * FROM sample WHERE id = 1 FOR UPDATE'),
        ]);
        for (const each of both) if (each.status === 'rejected') throw each.reason;
      }),
    SerializationFailure: { because: 'MySQL lets a transaction write what has changed since its snapshot.' },
    StatementCancelled: () =>
      twoTransactions(async (a) => {
        const [limit, least] =
          product === 'mariadb' ? ['max_statement_time', 0.001] : ['max_execution_time', 1];
        await a.query(`SET SESSION ${limit} = ${least}`);
        await a
          .query(`SELECT COUNT(*) FROM (${THOUSAND} SELECT a.i FROM n AS a, n AS b, n AS c, n AS d) AS many`)
          .finally(() => a.query(`SET SESSION ${limit} = 0`));
      }),
    OutOfResources: () =>
      twoTransactions(async (a) => {
        await a.query('SET SESSION max_heap_table_size = 16384');
        await a.query('CREATE TEMPORARY TABLE small (text CHAR(255)) ENGINE = MEMORY');
        await a.query(`INSERT INTO small ${THOUSAND} SELECT i FROM n`);
      }),
    UniqueViolation: () => twoTransactions((a) => a.query("INSERT INTO sample VALUES (1, 'twice')")),
    PermissionDenied: async () => {
      const guest = new URL(url);
      guest.username = 'nobody-here';
      try {
        await (await createConnection(guest.href)).end();
      } catch (error) {
        throw toDriverError(error);
      }
    },
    Unknown: () => twoTransactions((a) => a.query('SELEC 1')),
  };
}
