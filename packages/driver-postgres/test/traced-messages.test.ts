import '@rowlock/servers/vitest';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { messageOf } from '../src/connection/pipeline/message.js';

// As tools do it that patch the client's `query`.
const pool = new pg.Pool({ connectionString: inject('postgresUrl'), pipeline: true, max: 1 });
let client: pg.PoolClient;
beforeAll(async () => {
  client = await pool.connect();
});
afterAll(async () => {
  client.release();
  await pool.end();
});

/** Sends the statements in one message. @returns the arguments of the callback, and of the event `end` */
async function ends(...texts: string[]): Promise<{ callback: unknown[]; event: unknown }> {
  const message = messageOf(client);
  let event: unknown;
  message.on('end', (results) => {
    event = results;
  });
  const callback = await new Promise<unknown[]>((resolve) => {
    message.callback = (...given) => resolve(given);
    for (const text of texts)
      message
        .add({ text })
        .done()
        .catch(() => {});
  });
  return { callback, event };
}

test('a message of one statement ends with its result', async () => {
  const { callback, event } = await ends('SELECT 7 AS n');
  expect(callback).toEqual([null, { rows: [{ n: 7 }], rowCount: 1 }]);
  expect(event).toBe(callback[1]);
});

test('a message of several statements ends with a list of their results', async () => {
  const { callback } = await ends('SELECT 7 AS n', 'SELECT 8 AS n');
  expect(callback).toMatchObject([null, [{ rows: [{ n: 7 }] }, { rows: [{ n: 8 }] }]]);
});

test('a message that fails ends with the error', async () => {
  const { callback } = await ends('SELECT 7 AS n', 'SELECT 1 / 0');
  expect(callback).toEqual([expect.objectContaining({ code: '22012' })]);
});

test('a message has the text of its statements, and a name', async () => {
  const message = messageOf(client);
  const sent = Promise.all(['SELECT 1', 'SELECT 2'].map((text) => message.add({ text }).done()));
  await sent;
  expect({ ...message }).toMatchObject({ name: 'rowlock.message', text: 'SELECT 1; SELECT 2' });
});
