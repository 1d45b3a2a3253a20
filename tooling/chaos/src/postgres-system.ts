import { type PostgresTransaction, postgres } from '@rowlock/driver-postgres';
import pg from 'pg';
import type { EffectFact, JobFact, OpenFact, RecordFact } from './history/tables.js';
import type { Plain, Row, System } from './system.js';

export const postgresSystem: System<PostgresTransaction> = {
  name: 'postgres',
  driver: (url, maxConnections) => postgres({ connectionString: url, maxConnections }),
  say,
  connect,
  startServer: async () => (await import('./postgres-server.js')).startPostgres(),
  session: 'pg_backend_pid()',
  jobTable: 'rowlock.job',
  keyColumn: 'key',
  backlog: `
    SELECT (SELECT count(*) FROM rowlock.job WHERE queue = ? AND status = 'new' AND due AND limits = '') AS free,
           (SELECT count(*) FROM rowlock.job WHERE queue = ? AND status = 'new' AND due AND limits <> '') AS limited`,
  ticks: `
    SELECT metadata->'rowlock'->'tick'->>'schedule' AS schedule, metadata->'rowlock'->'tick'->>'scheduledFor' AS at, count(*) AS jobs
    FROM rowlock.job GROUP BY 1, 2`,
  subjectJobs: `
    SELECT public_id AS "publicId", queue, kind, key, status, metadata->>'given' AS given, metadata->>'tokens' AS tokens
    FROM rowlock.job WHERE queue LIKE 'subjects.%'`,
  slots: 'SELECT name, n FROM rowlock.limit_slot',
  freeSlots: `SELECT name, n FROM rowlock.limit_slot AS slot
    WHERE NOT EXISTS (SELECT FROM rowlock.limit_mark AS mark
                      WHERE mark.name = slot.name AND mark.n = slot.n AND mark.until > clock_timestamp())
    FOR UPDATE OF slot SKIP LOCKED`,

  applicationTables: [
    'CREATE TABLE chaos_effect (tag varchar(64) NOT NULL, run varchar(64) NOT NULL)',
    'CREATE TABLE chaos_entity (name varchar(64) PRIMARY KEY)',
    'CREATE TABLE chaos_disk (share float8 NOT NULL)',
  ],

  async readTables({ ask }) {
    const jobs = await ask(
      `SELECT payload->>'tag' AS tag, public_id AS "publicId", queue AS mode, kind, key, status, process_id AS run, attempt, crashes FROM rowlock.job`,
    );
    const records = await ask(
      `SELECT job.public_id AS "publicId", run.process_id AS run,
              CASE WHEN job.status = 'complete' AND job.process_id = run.process_id THEN 'complete' ELSE run.outcome END AS outcome
       FROM rowlock.run JOIN rowlock.job ON job.id = run.job_id`,
    );
    const effects = await ask('SELECT tag, run FROM chaos_effect');
    const open = await ask(
      `SELECT public_id AS "publicId", open.process_id AS run
       FROM rowlock.open_run AS open CROSS JOIN unnest(job_ids) AS has (id) JOIN rowlock.job AS job ON job.id = has.id`,
    );
    return {
      jobs: jobs as unknown as readonly JobFact[],
      records: records as unknown as readonly RecordFact[],
      effects: effects as unknown as readonly EffectFact[],
      open: open as unknown as readonly OpenFact[],
    };
  },

  async endSessions({ ask }, choose) {
    const sessions = await ask(
      'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    const chosen = sessions.map(({ pid }) => Number(pid)).filter(choose);
    await ask('SELECT pg_terminate_backend(pid) FROM unnest(?::integer[]) AS pid', [chosen]);
  },

  impatience: {
    on: [
      // A claim sets the limit of its own idling; what an operator sets on top of it hits the rest, and whole transactions.
      alterDatabase("SET idle_in_transaction_session_timeout = ''500ms''"),
      alterDatabase("SET idle_session_timeout = ''700ms''"),
      alterDatabase("SET transaction_timeout = ''1s''"),
    ],
    off: [alterDatabase('RESET ALL')],
  },

  fullDisk: [
    `CREATE FUNCTION chaos_full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF random() < (SELECT share FROM public.chaos_disk) THEN
         RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100';
       END IF;
       RETURN NEW;
     END $$`,
    ...['job', 'run', 'open_run'].map(
      (table) => `CREATE TRIGGER chaos_full_disk BEFORE INSERT OR UPDATE ON rowlock.${table}
                  FOR EACH ROW EXECUTE FUNCTION chaos_full_disk()`,
    ),
  ],

  oldSnapshot: ['BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM rowlock.job'],
};

async function say(
  tx: PostgresTransaction,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  let place = 0;
  const { rows } = await tx.query(
    sql.replaceAll('?', () => `$${++place}`),
    [...values],
  );
  return rows;
}

async function connect(url: string): Promise<Plain<PostgresTransaction>> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'chaos',
    connectionTimeoutMillis: 5_000,
  });
  // The next statement on the connection finds that it is gone.
  client.on('error', () => {});
  await client.connect();
  return {
    tx: client,
    session: async () => Number((await say(client, 'SELECT pg_backend_pid() AS id'))[0]?.id),
    ask: (sql, values) => say(client, sql, values),
    end: () => client.end().catch(() => {}),
  };
}

/** ALTER DATABASE takes a name and no expression. */
function alterDatabase(setting: string): string {
  return `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I ${setting}', current_database()); END $$`;
}
