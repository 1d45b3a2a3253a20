import { randomUUID } from 'node:crypto';
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
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { toDriverError } from '../src/errors.js';
import { identifier } from '../src/identifier.js';
import { type PostgresTransaction, postgres } from '../src/index.js';
import { POOLER, type TransactionPooler, transactionPooler } from './transaction-pooler.js';

/**
 * Fresh databases on one server, and drivers whose connections the server can name and the test can cut.
 *
 * @param pooled The drivers reach the server through a pooler that lets them share sessions.
 */
export function openPostgresHarness(serverUrl: string, pooled = false): DriverHarness<PostgresTransaction> {
  return {
    database: () => openDatabase(serverUrl, pooled),
    close: async () => {},
  };
}

async function openDatabase(serverUrl: string, pooled: boolean): Promise<TestDatabase<PostgresTransaction>> {
  const fresh = await freshDatabase(serverUrl);
  const pooler = pooled ? await transactionPooler(fresh.url) : undefined;
  const plain = new pg.Pool({ connectionString: fresh.url, max: 20, application_name: 'plain' });
  // Dropping the database ends what idles in the pool.
  plain.on('error', () => {});
  const alive = new Set<string>(pooled ? [POOLER] : []);
  const roles: string[] = [];
  let opened = 0;

  return {
    url: fresh.url,
    reader: openReader(plain),
    samples: samples(plain, fresh.url),
    mishaps: {
      async truncate(table) {
        await plain.query(`TRUNCATE rowlock.${table} RESTART IDENTITY`);
      },
      async refuse(text) {
        await plain.query(
          `ALTER TABLE rowlock.job ADD CHECK (concat(output, error) NOT LIKE ${pg.escapeLiteral(`%${text}%`)})`,
        );
      },
      passing: ['40001', '40P01', '55P03', '57014'],
      async refuseRows(verb, text, code = 'P0001') {
        await plain.query(`DROP TRIGGER IF EXISTS refuse_${verb} ON rowlock.job`);
        if (text === null) return;
        await plain.query(`
          CREATE OR REPLACE FUNCTION refuse_rows() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN
            IF coalesce(NEW.payload, OLD.payload)::text LIKE '%' || TG_ARGV[0] || '%' THEN
              RAISE EXCEPTION 'this job is not welcome' USING ERRCODE = TG_ARGV[1];
            END IF;
            RETURN coalesce(NEW, OLD);
          END $$`);
        await plain.query(
          `CREATE TRIGGER refuse_${verb} BEFORE ${verb} ON rowlock.job FOR EACH ROW EXECUTE FUNCTION refuse_rows(${pg.escapeLiteral(text)}, ${pg.escapeLiteral(code)})`,
        );
      },
    },

    async process({ sessions, answerMs, cable = false, mostConnections } = {}) {
      const name = `process ${++opened}`;
      alive.add(name);
      const own =
        mostConnections === undefined ? fresh.url : await limited(plain, fresh.url, mostConnections);
      if (own !== fresh.url) roles.push(identifier(new URL(own).username));
      const place: Place = { url: own, pooler, cable, sessions: sessions ?? 'auto' };
      return openProcess(plain, place, name, answerMs, () => alive.delete(name));
    },

    async caller() {
      const client = await plain.connect();
      await client.query('BEGIN');
      let open = true;
      const end = (statement: string) => async () => {
        if (!open) return;
        open = false;
        await client.query(statement).finally(() => client.release());
      };
      return { tx: client, commit: end('COMMIT'), rollback: end('ROLLBACK') };
    },

    run: async (tx, sql) => (await tx.query(sql)).rows,

    async leaks() {
      const found = await sessions(plain);
      return found
        .filter(({ name, isInTransaction }) => isInTransaction || (name !== 'plain' && !alive.has(name)))
        .map(described);
    },

    async openTransactions() {
      return (await sessions(plain)).filter(({ isInTransaction }) => isInTransaction).map(described);
    },

    async waits() {
      const { rows } = await plain.query<Wait>(
        `SELECT waiting.application_name AS waiting, holder.application_name AS holder
         FROM pg_stat_activity AS waiting
         CROSS JOIN LATERAL unnest(pg_blocking_pids(waiting.pid)) AS blocking (pid)
         JOIN pg_stat_activity AS holder ON holder.pid = blocking.pid
         WHERE waiting.datname = current_database() AND holder.backend_type = 'client backend'`,
      );
      return rows;
    },

    async close() {
      for (const role of roles) await plain.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
      await plain.end();
      await pooler?.close();
      await fresh.drop();
    },
  };
}

/** Makes a role that may have so many connections, and returns the URL for it. */
async function limited(plain: pg.Pool, url: string, mostConnections: number): Promise<string> {
  const own = new URL(url);
  own.username = `limited_${randomUUID().slice(0, 8)}`;
  own.password = 'change-me';
  const role = identifier(own.username);
  await plain.query(
    `CREATE ROLE ${role} LOGIN PASSWORD 'change-me' CONNECTION LIMIT ${mostConnections};
     GRANT ALL ON SCHEMA rowlock TO ${role};
     GRANT ALL ON ALL TABLES IN SCHEMA rowlock TO ${role};
     GRANT ALL ON ALL SEQUENCES IN SCHEMA rowlock TO ${role};
     GRANT ALL ON ALL FUNCTIONS IN SCHEMA rowlock TO ${role}`,
  );
  return own.href;
}

interface Session {
  /** The process that it is of. */
  readonly name: string;
  readonly state: string;
  /** The last statement. */
  readonly query: string;
  /** Whether it has a transaction open, and waits for its client. */
  readonly isInTransaction: boolean;
}

/** The sessions in this database, but for the one that asks. */
async function sessions(plain: pg.Pool): Promise<readonly Session[]> {
  // One that is about to begin has no state yet.
  const { rows } = await plain.query<Omit<Session, 'isInTransaction'>>(
    `SELECT application_name AS name, coalesce(state, 'starting') AS state, query FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  );
  return rows.map((row) => ({ ...row, isInTransaction: row.state.startsWith('idle in transaction') }));
}

function described({ name, state, query }: Session): string {
  return `${name}, ${state}: ${query}`;
}

interface Place {
  readonly url: string;
  readonly pooler: TransactionPooler | undefined;
  readonly cable: boolean;
  readonly sessions: 'auto' | 'own' | 'shared';
}

async function openProcess(
  plain: pg.Pool,
  { url, pooler, cable, sessions: kind }: Place,
  name: string,
  answerMs: number | undefined,
  ended: () => void,
): Promise<DriverProcess<PostgresTransaction>> {
  const { hostname, port, username, password, pathname } = new URL(url);
  // To be alive by a session, a worker of the tests goes past the pooler.
  const isPooled = pooler !== undefined && kind !== 'own';
  const server = isPooled ? pooler : { host: hostname, port: Number(port) };
  const way = await wayTo(server, isPooled || cable);
  const driver = postgres({
    host: way.host,
    port: way.port,
    ...(way.stream && { stream: way.stream }),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: pathname.slice(1),
    application_name: name,
    maxConnections: 20,
    ...(answerMs !== undefined && { answerTimeout: answerMs }),
    sessions: kind,
  });
  const ownSessions = `FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1`;
  let closing: Promise<void> | undefined;
  return {
    name,
    driver,
    async sessions() {
      // The pooler's own are not this process's: what it has are connections to the pooler.
      if (isPooled) return way.cable().connections;
      const { rows } = await plain.query<{ pid: number }>(`SELECT pid ${ownSessions}`, [name]);
      return rows.map(({ pid }) => String(pid));
    },
    async disconnect() {
      if (isPooled) return way.cable().cut();
      await plain.query(`SELECT pg_terminate_backend(pid) ${ownSessions}`, [name]);
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
  key: 'key',
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
  .map(([name, column]) => `${column} AS "${name}"`)
  .join(', ')} FROM rowlock.job`;

/** Of a run that has completed its job the job's row says so. */
const IS_COMPLETION = "job.status = 'complete' AND job.process_id = run.process_id";

/**
 * Each job's runs, those among them that are on record together, and those of which the job's row alone tells: who was in a run of several
 * jobs and is complete.
 */
const RUNS = `
  SELECT process_id, job_id, worker_id, started_at, finished_at, outcome, progress FROM rowlock.run
  UNION ALL
  SELECT process_id, has.id, worker_id, started_at, NULL, NULL, NULL
  FROM rowlock.open_run CROSS JOIN unnest(job_ids) AS has (id)
  WHERE NOT EXISTS (SELECT FROM rowlock.run WHERE run.job_id = has.id AND run.process_id = open_run.process_id)
  UNION ALL
  SELECT process_id, id, NULL, started_at, finished_at, 'complete', NULL FROM rowlock.job
  WHERE status = 'complete' AND NOT EXISTS (SELECT FROM rowlock.run WHERE run.job_id = job.id AND run.process_id = job.process_id)`;

function openReader(plain: pg.Pool): Reader {
  const jobs = async (where: string, value: string): Promise<readonly JobRow[]> => {
    const { rows } = await plain.query<Omit<JobRow, 'id'> & { id: string }>(
      `${SELECT_JOB} WHERE ${where} ORDER BY id`,
      [value],
    );
    return rows.map((row) => ({ ...row, id: BigInt(row.id) }));
  };
  return {
    job: async (publicId) => (await jobs('public_id = $1', publicId))[0],
    jobs: (queue) => jobs('queue = $1', queue),

    async runs(publicId) {
      const { rows } = await plain.query<RunRow>(
        `SELECT run.process_id AS "runId", worker_id::text AS "workerId", run.started_at AS "startedAt",
                CASE WHEN ${IS_COMPLETION} THEN job.finished_at ELSE run.finished_at END AS "finishedAt",
                CASE WHEN ${IS_COMPLETION} THEN 'complete' ELSE run.outcome END AS outcome, run.progress
         FROM (${RUNS}) AS run JOIN rowlock.job ON job.id = run.job_id
         WHERE job.public_id = $1 ORDER BY run.started_at`,
        [publicId],
      );
      return rows;
    },

    async orphans() {
      const { rows } = await plain.query<{ orphans: number }>(
        `SELECT count(*)::integer AS orphans FROM rowlock.run
         WHERE NOT EXISTS (SELECT FROM rowlock.job WHERE job.id = run.job_id)`,
      );
      return rows[0]?.orphans ?? Number.NaN;
    },

    async slots(name) {
      const { rowCount } = await plain.query('SELECT FROM rowlock.limit_slot WHERE name = $1', [name]);
      return rowCount ?? Number.NaN;
    },

    async audit(by) {
      const { rows } = await plain.query<AuditRow>(
        'SELECT action, scope, name, details FROM rowlock.audit WHERE operator = $1 ORDER BY id',
        [by],
      );
      return rows;
    },

    async rate(name) {
      const { rows } = await plain.query<{ nextMs: number; lastTake: string | null }>(
        `SELECT (extract(epoch FROM next_at) * 1000)::float8 AS "nextMs", last_take AS "lastTake" FROM rowlock.rate WHERE name = $1`,
        [name],
      );
      return rows[0];
    },

    async moveRate(name, byMs) {
      await plain.query(
        `UPDATE rowlock.rate SET next_at = next_at + $2::float8 * interval '1 millisecond' WHERE name = $1`,
        [name, byMs],
      );
    },

    async lockRate(name) {
      const client = await plain.connect();
      await client.query('BEGIN');
      await client.query('SELECT FROM rowlock.rate WHERE name = $1 FOR UPDATE', [name]);
      return async () => {
        await client.query('ROLLBACK');
        client.release();
      };
    },

    async now() {
      const { rows } = await plain.query<{ now: Date }>('SELECT clock_timestamp() AS now');
      return rows[0]?.now ?? new Date(Number.NaN);
    },

    async insert({ queue, kind, payload, key = null }) {
      const { rows } = await plain.query<{ publicId: string }>(
        `INSERT INTO rowlock.job (queue, kind, payload, key) VALUES ($1, $2, $3, $4) RETURNING public_id AS "publicId"`,
        [queue, kind, JSON.stringify(payload), key],
      );
      return rows[0]?.publicId ?? '';
    },

    async write(publicId, change) {
      const columns = changed(change);
      const set = columns.map(([column], place) => `${column} = $${place + 2}`).join(', ');
      await plain.query(`UPDATE rowlock.job SET ${set} WHERE public_id = $1`, [
        publicId,
        ...columns.map(([, value]) => value),
      ]);
    },

    async moveSchedule(name, nextAt) {
      await plain.query('UPDATE rowlock.schedule SET next_at = $2 WHERE name = $1', [name, nextAt]);
    },

    exec: async (sql) => (await plain.query(sql)).rows,
  };
}

function changed(change: JobChange): readonly (readonly [column: string, value: unknown])[] {
  const names: Readonly<Record<string, string>> = COLUMNS;
  return Object.entries(change).map(([name, value]) => {
    const column = names[name] ?? '';
    return [column, JSON_COLUMNS.has(column) && value !== null ? JSON.stringify(value) : value];
  });
}

/** Work that the server refuses with each of its codes. */
function samples(plain: pg.Pool, url: string): Samples {
  /** Two transactions; rejects with the first error of either, and leaves neither open. */
  async function twoTransactions(
    work: (a: pg.PoolClient, b: pg.PoolClient) => Promise<unknown>,
    begin = 'BEGIN',
  ): Promise<void> {
    await plain.query('CREATE TABLE IF NOT EXISTS sample (id integer PRIMARY KEY, note text)');
    await plain.query("INSERT INTO sample VALUES (1, 'a'), (2, 'b') ON CONFLICT DO NOTHING");
    const [a, b] = [await plain.connect(), await plain.connect()];
    try {
      await a.query(begin);
      await b.query(begin);
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
        await a.query('SELECT FROM sample WHERE id = 1 FOR UPDATE');
        await b.query('SELECT FROM sample WHERE id = 1 FOR UPDATE NOWAIT');
      }),
    LockTimeout: () =>
      twoTransactions(async (a, b) => {
        await a.query('SELECT FROM sample WHERE id = 1 FOR UPDATE');
        await b.query("SET LOCAL lock_timeout = '10ms'");
        await b.query('SELECT FROM sample WHERE id = 1 FOR UPDATE');
      }),
    Deadlock: () =>
      twoTransactions(async (a, b) => {
        await a.query("SET LOCAL deadlock_timeout = '20ms'");
        await b.query("SET LOCAL deadlock_timeout = '20ms'");
        await a.query('SELECT FROM sample WHERE id = 1 FOR UPDATE');
        await b.query('SELECT FROM sample WHERE id = 2 FOR UPDATE');
        const both = await Promise.allSettled([
          a.query('SELECT FROM sample WHERE id = 2 FOR UPDATE'),
          b.query('SELECT FROM sample WHERE id = 1 FOR UPDATE'),
        ]);
        for (const each of both) if (each.status === 'rejected') throw each.reason;
      }),
    SerializationFailure: () =>
      twoTransactions(async (a, b) => {
        await b.query('SELECT * FROM sample');
        await a.query("UPDATE sample SET note = 'changed' WHERE id = 1");
        await a.query('COMMIT');
        await b.query("UPDATE sample SET note = 'too late' WHERE id = 1");
      }, 'BEGIN ISOLATION LEVEL REPEATABLE READ'),
    StatementCancelled: () =>
      twoTransactions(async (a) => {
        await a.query("SET LOCAL statement_timeout = '1ms'");
        await a.query('SELECT pg_sleep(60)');
      }),
    OutOfResources: () =>
      twoTransactions(async (a) => {
        await a.query("SET LOCAL temp_file_limit = '64kB'; SET LOCAL work_mem = '64kB'");
        await a.query(
          'SELECT count(*) FROM (SELECT n FROM generate_series(1, 100000) AS n ORDER BY n DESC) AS sorted',
        );
      }),
    UniqueViolation: () => twoTransactions((a) => a.query("INSERT INTO sample VALUES (1, 'twice')")),
    PermissionDenied: () =>
      twoTransactions(async (a) => {
        await a.query('CREATE ROLE sample_guest');
        await a.query('SET LOCAL ROLE sample_guest');
        await a.query('SELECT * FROM sample');
      }),
    Unknown: () => twoTransactions((a) => a.query(`SELEC ${url.length}`)),
  };
}
