import { connect } from './connect.mjs';

/** So that the server counts statements; the library comes with it. */
export const COUNTING = { postgres: { shared_preload_libraries: 'pg_stat_statements' } };

const READ = {
  async postgres({ ask }) {
    const [row] = await ask(`
      SELECT (pg_current_wal_lsn() - '0/0')::float8 AS log, xact_commit::float8 AS commits
      FROM pg_stat_database WHERE datname = current_database()`);
    const statements = await ask('SELECT sum(calls)::float8 AS statements FROM pg_stat_statements').catch(
      () => [],
    );
    return { ...row, statements: statements[0]?.statements ?? Number.NaN };
  },
  async mysql({ ask }) {
    const rows = await ask(
      "SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_os_log_written', 'Binlog_cache_use', 'Questions')",
    );
    const value = (name) => Number(rows.find(({ Variable_name }) => Variable_name === name)?.Value);
    return {
      log: value('Innodb_os_log_written'),
      commits: value('Binlog_cache_use'),
      statements: value('Questions'),
    };
  },
};

/**
 * What the server has done so far, all together: bytes of its log, commits, statements, seconds of a core.
 *
 * @param cpuSeconds Reads the last of these
 */
export async function openCounters(database, url, cpuSeconds) {
  const plain = await connect(database, url);
  if (database === 'postgres')
    await plain.ask('CREATE EXTENSION IF NOT EXISTS pg_stat_statements').catch(() => {});
  return {
    async read() {
      const counted = await READ[database](plain);
      return { ...counted, serverCpu: await cpuSeconds() };
    },
    end: () => plain.end(),
  };
}
