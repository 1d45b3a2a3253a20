import { createConnection } from 'mysql2/promise';
import pg from 'pg';

/** A plain connection past all that is measured, for counting and for filling tables. */
export function connect(database, url) {
  return database === 'mysql' ? connectMysql(url) : connectPostgres(url);
}

async function connectPostgres(url) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  const ask = async (sql, values) => (await client.query(sql, values)).rows;
  return { ask, number: numberFrom(ask), end: () => client.end() };
}

async function connectMysql(url) {
  const client = await createConnection({ uri: url, multipleStatements: true });
  client.on('error', () => {});
  await client.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
  const ask = async (sql, values) => (await client.query(sql, values))[0];
  return { ask, number: numberFrom(ask), end: () => client.end() };
}

/** The first column of the first row. */
function numberFrom(ask) {
  return async (sql, values) => {
    const [row] = await ask(sql, values);
    return Number(Object.values(row)[0]);
  };
}
