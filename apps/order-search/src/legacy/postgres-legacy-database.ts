import pg from 'pg';
import type { LegacyDatabase, LegacySession, Value } from './legacy-database.js';

/** The old system's database on Postgres: its tables are in the schema `legacy`. */
export function postgresLegacyDatabase(connectionString: string, max: number): LegacyDatabase {
  const pool = new pg.Pool({ connectionString, max, options: '-c search_path=legacy' });
  return {
    ...sessionOf(pool),
    async transaction(work) {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        await work(sessionOf(client));
        await client.query('COMMIT');
        client.release();
      } catch (error) {
        await client.query('ROLLBACK').then(
          () => client.release(),
          () => client.release(true),
        );
        throw error;
      }
    },
    createSchema: async () => {
      await pool.query('CREATE SCHEMA legacy');
    },
    analyze: async () => {
      await pool.query('ANALYZE');
    },
    close: () => pool.end(),
  };
}

function sessionOf(client: Pick<pg.Pool, 'query'> | pg.ClientBase): LegacySession {
  const ask = async (sql: string, values: readonly Value[]) => {
    let n = 0;
    return client.query({
      text: sql.replaceAll('?', () => `$${++n}`),
      values: [...values],
      rowMode: 'array',
    });
  };
  return {
    async run(sql, values = []) {
      return (await ask(sql, values)).rowCount ?? 0;
    },
    async numbers(sql, values = []) {
      const { rows } = await ask(sql, values);
      return rows.map(([number]) => Number(number));
    },
  };
}
