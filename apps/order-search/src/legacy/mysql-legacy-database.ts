import { createPool, type Pool, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import type { LegacyDatabase, LegacySession, Value } from './legacy-database.js';

/** The old system's database on MySQL: its tables are beside all others. */
export function mysqlLegacyDatabase(uri: string, max: number): LegacyDatabase {
  const pool = createPool({ uri, connectionLimit: max, charset: 'utf8mb4', timezone: 'Z' });
  return {
    ...sessionOf(pool),
    async transaction(work) {
      const client = await pool.getConnection();
      try {
        await client.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
        await client.query('START TRANSACTION');
        await work(sessionOf(client));
        await client.query('COMMIT');
        client.release();
      } catch (error) {
        await client.query('ROLLBACK').then(
          () => client.release(),
          () => client.destroy(),
        );
        throw error;
      }
    },
    createSchema: async () => {},
    // InnoDB does so itself.
    analyze: async () => {},
    close: () => pool.end(),
  };
}

type Client = Pick<Pool, 'query'>;

function sessionOf(client: Client): LegacySession {
  const ask = async (sql: string, values: readonly Value[]) =>
    client.query<RowDataPacket[][]>({ sql, values: [...values], rowsAsArray: true });
  return {
    async run(sql, values = []) {
      const [{ affectedRows }] = await client.query<ResultSetHeader>({ sql, values: [...values] });
      return affectedRows;
    },
    async numbers(sql, values = []) {
      const [rows] = await ask(sql, values);
      return rows.map(([number]) => Number(number));
    },
  };
}
