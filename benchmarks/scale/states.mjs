import { connect } from '../connect.mjs';

const FILLER = '00000000-0000-4000-8000-000000000000';

/** What a statement makes of the numbers 1 to n, on each database. */
const FILL = {
  postgres: {
    settled: `
      INSERT INTO rowlock.job (kind, key, status, process_id, attempt, started_at, finished_at, created_by)
      SELECT 'noop', 'settled-' || n % 10000, 'complete', '${FILLER}', 1, now(), now(), 'filler' FROM generate_series(1, $1) AS n`,
    future: `
      INSERT INTO rowlock.job (kind, available_at, due, created_by)
      SELECT 'noop', now() + interval '1 day' + n * interval '1 second', false, 'filler' FROM generate_series(1, $1) AS n`,
    blocked: `
      INSERT INTO rowlock.job (kind, key, created_by)
      SELECT 'noop', 'busy', 'filler' FROM generate_series(1, $1) AS n`,
    limited: `
      INSERT INTO rowlock.job (kind, limits, created_by)
      SELECT 'noop', '{"full":1}', 'filler' FROM generate_series(1, $1) AS n`,
    hold: [`BEGIN`, `SELECT id FROM rowlock.job WHERE key = 'busy' ORDER BY id LIMIT 1 FOR NO KEY UPDATE`],
    snapshot: ['BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM rowlock.worker'],
    tidy: 'VACUUM (ANALYZE) rowlock.job',
  },
  mysql: {
    settled: `
      INSERT INTO rowlock_job (kind, \`key\`, status, process_id, attempt, started_at, finished_at, created_by)
      WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ?)
      SELECT 'noop', CONCAT('settled-', n % 10000), 'complete', '${FILLER}', 1, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), 'filler' FROM series`,
    future: `
      INSERT INTO rowlock_job (kind, available_at, due, created_by)
      WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ?)
      SELECT 'noop', UTC_TIMESTAMP(6) + INTERVAL 1 DAY + INTERVAL n SECOND, FALSE, 'filler' FROM series`,
    blocked: `
      INSERT INTO rowlock_job (kind, \`key\`, created_by)
      WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ?)
      SELECT 'noop', 'busy', 'filler' FROM series`,
    limited: `
      INSERT INTO rowlock_job (kind, limits, created_by)
      WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ?)
      SELECT 'noop', '{"full":1}', 'filler' FROM series`,
    hold: [
      'START TRANSACTION',
      `SELECT id FROM rowlock_job FORCE INDEX (PRIMARY) WHERE id = (SELECT * FROM (SELECT MIN(id) FROM rowlock_job WHERE \`key\` = 'busy') AS first) FOR UPDATE`,
    ],
    snapshot: [
      'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ',
      'START TRANSACTION WITH CONSISTENT SNAPSHOT',
      'SELECT COUNT(*) FROM rowlock_worker',
    ],
    tidy: 'ANALYZE TABLE rowlock_job',
  },
};

/** The states of the table in which jobs are drained. `before` brings one about. */
export function statesFor({ rows, blocked, isQuick }) {
  const count = (number) => number.toLocaleString('en');
  const all = [
    { name: 'empty table', before: async () => {} },
    { name: `${count(rows)} settled`, before: (table) => table.fill('settled', rows) },
    { name: `${count(rows)} future-dated`, before: (table) => table.fill('future', rows) },
    {
      name: `${count(rows)} settled and as many future-dated`,
      async before(table) {
        await table.fill('settled', rows);
        await table.fill('future', rows);
      },
    },
    {
      name: `${count(blocked)} blocked behind one busy key`,
      async before(table) {
        await table.fill('blocked', blocked);
        await table.keep('hold');
      },
    },
    { name: 'a key for each job', keys: 100_000, before: async () => {} },
    { name: 'after some load', loaded: true, before: async () => {} },
    {
      name: 'after some load, under an old snapshot',
      loaded: true,
      before: (table) => table.keep('snapshot'),
    },
  ];
  return isQuick ? all.slice(0, 2) : all;
}

/** A table that is brought into a state past Rowlock, in one statement for any number of rows. */
export async function openTable(database, url) {
  const texts = FILL[database];
  const plain = await connect(database, url);
  const kept = [];
  if (database === 'mysql') await plain.ask('SET SESSION cte_max_recursion_depth = 100000000');
  return {
    async fill(what, rows) {
      await plain.ask(texts[what], [rows]);
      await plain.ask(texts.tidy);
    },
    /** Opens a transaction and leaves it open until the end. */
    async keep(what) {
      const keeper = await connect(database, url);
      kept.push(keeper);
      for (const text of texts[what]) await keeper.ask(text);
    },
    async end() {
      await Promise.all([plain, ...kept].map((connection) => connection.end()));
    },
  };
}
