import { type MysqlTransaction, mysql } from '@rowlock/driver-mysql';
import { createConnection } from 'mysql2/promise';
import type { EffectFact, JobFact, OpenFact, RecordFact } from './history/tables.js';
import type { Plain, Row, System } from './system.js';

export const mysqlSystem: System<MysqlTransaction> = {
  name: 'mysql',
  driver: (url, maxConnections) => mysql({ uri: url, maxConnections }),
  say,
  connect,
  startServer: async () => (await import('./mysql-server.js')).startMysql(),
  session: 'CONNECTION_ID()',
  jobTable: 'rowlock_job',
  keyColumn: '`key`',
  backlog: `
    SELECT (SELECT COUNT(*) FROM rowlock_job WHERE queue = ? AND claimable = 1 AND limits = '') AS free,
           (SELECT COUNT(*) FROM rowlock_job WHERE queue = ? AND claimable = 1 AND limits > '') AS limited`,
  ticks: `
    SELECT metadata->>'$.rowlock.tick.schedule' AS schedule, metadata->>'$.rowlock.tick.scheduledFor' AS at, COUNT(*) AS jobs
    FROM rowlock_job GROUP BY 1, 2`,
  subjectJobs: `
    SELECT public_id AS publicId, queue, kind, \`key\`, status, metadata->>'$.given' AS given, metadata->>'$.tokens' AS tokens
    FROM rowlock_job WHERE queue LIKE 'subjects.%'`,
  slots: 'SELECT name, n FROM rowlock_limit_slot',
  freeSlots:
    'SELECT name, n FROM rowlock_limit_slot WHERE run_id IS NULL OR leased_until <= UTC_TIMESTAMP(6) FOR UPDATE SKIP LOCKED',

  applicationTables: [
    'CREATE TABLE chaos_effect (id BIGINT AUTO_INCREMENT PRIMARY KEY, tag VARCHAR(64) NOT NULL, run VARCHAR(64) NOT NULL)',
    'CREATE TABLE chaos_entity (name VARCHAR(64) PRIMARY KEY)',
    'CREATE TABLE chaos_disk (share DOUBLE NOT NULL)',
  ],

  async readTables({ ask }) {
    const jobs = await ask(
      `SELECT payload->>'$.tag' AS tag, public_id AS publicId, queue AS mode, kind, \`key\`, status, process_id AS run, attempt, crashes FROM rowlock_job`,
    );
    const records = await ask(
      `SELECT job.public_id AS publicId, run.process_id AS run,
              CASE WHEN job.status = 'complete' AND job.process_id = run.process_id THEN 'complete' ELSE run.outcome END AS outcome
       FROM rowlock_run AS run JOIN rowlock_job AS job ON job.id = run.job_id`,
    );
    const effects = await ask('SELECT tag, run FROM chaos_effect');
    const open = await ask(
      `SELECT public_id AS publicId, open.process_id AS run
       FROM rowlock_open_run AS open
       JOIN rowlock_job AS job ON job.id BETWEEN open.first_id AND open.last_id AND JSON_CONTAINS(job_ids, CAST(job.id AS CHAR))`,
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
      'SELECT id FROM performance_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()',
    );
    const chosen = sessions.map(({ id }) => Number(id)).filter(choose);
    // One may have ended by itself meanwhile.
    for (const id of chosen) await ask(`KILL ${id}`).catch(() => {});
  },

  impatience: {
    // Whole seconds. A claim sets the limit of its own idling.
    on: ['SET GLOBAL wait_timeout = 1', 'SET GLOBAL interactive_timeout = 1'],
    off: ['SET GLOBAL wait_timeout = 28800', 'SET GLOBAL interactive_timeout = 28800'],
  },

  // 1114, "The table is full": InnoDB says it when its file cannot grow.
  fullDisk: ['job', 'run', 'open_run'].flatMap((table) =>
    ['INSERT', 'UPDATE'].map(
      (
        event,
      ) => `CREATE TRIGGER chaos_full_disk_${table}_${event} BEFORE ${event} ON rowlock_${table} FOR EACH ROW
                  BEGIN
                    IF RAND() < (SELECT share FROM chaos_disk) THEN
                      SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1114, MESSAGE_TEXT = 'The table is full';
                    END IF;
                  END`,
    ),
  ),

  oldSnapshot: [
    'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ',
    'START TRANSACTION WITH CONSISTENT SNAPSHOT',
    'SELECT COUNT(*) FROM rowlock_job',
  ],
};

async function say(
  tx: MysqlTransaction,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const [rows] = await tx.query(sql, values);
  return Array.isArray(rows) ? rows : [];
}

async function connect(url: string): Promise<Plain<MysqlTransaction>> {
  const client = await createConnection({ uri: url, connectTimeout: 5_000 });
  // The next statement on the connection finds that it is gone.
  client.on('error', () => {});
  return {
    tx: client,
    session: async () => client.threadId ?? 0,
    ask: (sql, values) => say(client, sql, values),
    async end() {
      client.destroy();
    },
  };
}
