import { createConnection, createPool } from 'mysql2/promise';
import { expect, test } from 'vitest';
import { mysql } from '../src/index.js';
import { serverUrl } from './server.js';

const driver = mysql({ uri: serverUrl, database: 'rowlock' });

test.each([
  { charset: 'latin1' },
  { charset: 'UTF8_GENERAL_CI' },
  { rowsAsArray: true },
  { nestTables: true },
])('a connection with %j is refused, and so is a pool', async (options) => {
  const connection = await createConnection({ uri: serverUrl, ...options });
  const pool = createPool({ uri: serverUrl, ...options });
  const refused = expect.objectContaining({ code: 'InvalidInput' });
  expect(() => driver.join(connection)).toThrow(refused);
  expect(() => driver.join(pool)).toThrow(refused);
  await connection.end();
  await pool.end();
});

test.each([{}, { charset: 'utf8mb4' }])('a connection with %j is taken', async (options) => {
  const pool = createPool({ uri: serverUrl, ...options });
  const connection = await pool.getConnection();
  expect(() => driver.join(connection)).not.toThrow();
  expect(() => driver.join(pool)).not.toThrow();
  connection.release();
  await pool.end();
});
