import { ownHandle } from '@rowlock/sql-drivers';
import { expect, test } from 'vitest';
import { clientOf } from '../src/client.js';
import type { PostgresHandle } from '../src/handle.js';
import { PostgresClient } from '../src/postgres-client.js';
import { drained } from './describe-adapter.js';

function clientWithout(): PostgresClient {
  const tx: PostgresHandle = { query: () => Promise.reject(new Error('It was sent.')) };
  const client = clientOf('onTest', ownHandle(tx));
  if (client instanceof PostgresClient) return client;
  throw new Error('It is a connection of MySQL.');
}

test('a stream of pg-query-stream is another one that fails, because Knex waits for its end', async () => {
  const stream = clientWithout().query({ submit() {}, pipe() {}, cursor: {} });
  await expect(drained(Object(stream))).rejects.toThrow('no cursors and no streams');
});

test('a cursor of pg-cursor is refused at once, because Kysely calls it before it awaits anything', () => {
  expect(() => clientWithout().query({ submit() {}, read() {} })).toThrow('no cursors and no streams');
});
