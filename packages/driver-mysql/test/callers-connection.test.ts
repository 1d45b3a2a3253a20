import { createPool as createCallbackPool } from 'mysql2';
import { createConnection, createPool } from 'mysql2/promise';
import { expect, test } from 'vitest';
import { mysql } from '../src/index.js';
import { serverUrl } from './server.js';

const driver = mysql({ uri: serverUrl, database: 'rowlock' });

test.each([{ charset: 'latin1' }, { charset: 'UTF8_GENERAL_CI' }])(
  'a connection with %j is refused',
  async (options) => {
    const connection = await createConnection({ uri: serverUrl, ...options });
    expect(() => driver.join(connection)).toThrow(expect.objectContaining({ code: 'InvalidInput' }));
    await connection.end();
  },
);

test.each([{}, { charset: 'utf8mb4' }])(
  'a connection with %j is taken, and its pool is not, whose statements would be on different connections',
  async (options) => {
    const pool = createPool({ uri: serverUrl, ...options });
    const connection = await pool.getConnection();
    expect(() => driver.join(connection)).not.toThrow();
    expect(() => driver.join(pool)).toThrow(
      expect.objectContaining({ code: 'InvalidInput', message: expect.stringContaining('getConnection()') }),
    );
    connection.release();
    await pool.end();
  },
);

test('a pool with callbacks is refused too', () => {
  const pool = createCallbackPool({ uri: serverUrl });
  expect(() => driver.join(Object(pool))).toThrow(
    expect.objectContaining({ code: 'InvalidInput', message: expect.stringContaining('getConnection()') }),
  );
  pool.end();
});
