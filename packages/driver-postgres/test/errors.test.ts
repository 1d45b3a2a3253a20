import '@rowlock/servers/vitest';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { toDriverError } from '../src/errors.js';

test.each([
  ['idle_session_timeout', 'SELECT 1'],
  ['idle_in_transaction_session_timeout', 'BEGIN'],
])('a session that the server ends by its %s is a lost connection', async (limit, statement) => {
  const client = new pg.Client(inject('postgresUrl'));
  await client.connect();
  // The end of the socket is an error of its own, later.
  const ended = new Promise<unknown>((resolve) => client.on('error', resolve));
  // In one flight: between two it could idle for too long already.
  await client.query(`SET ${limit} = '20ms'; ${statement}`);
  expect(toDriverError(await ended)).toMatchObject({ code: 'ConnectionLost' });
});
