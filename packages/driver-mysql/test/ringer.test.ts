import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection, createPool } from 'mysql2/promise';
import { expect, onTestFinished, test, vi } from 'vitest';
import { context } from '../src/context.js';
import { toDriverError } from '../src/errors.js';
import { mysql } from '../src/index.js';
import { Ringer } from '../src/workers/ringer.js';
import { serverUrl } from './server.js';

test('where the server accepts no more connections, not each ring tries for one', async () => {
  const refusal = Object.assign(new Error('Too many connections'), { errno: 1040 });
  const connect = vi.fn(() => Promise.reject(toDriverError(refusal)));
  const change = async (): Promise<[object, object]> => [{ affectedRows: 0, insertId: 0 }, {}];
  const pool = { execute: change, query: change };
  const ringer = new Ringer(context('rowlock', 20_000), pool, connect);
  await expect(ringer.interrupt([{ queue: 'q' }])).rejects.toMatchObject({ code: 'OutOfResources' });
  for (let rings = 0; rings < 10; rings++) await ringer.interrupt([{ queue: 'q' }]);
  expect(connect).toHaveBeenCalledTimes(1);
  await ringer.close();
});

test('a connection that was closed before anybody listened for it is replaced, and not kept', async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  onTestFinished(() => fresh.drop());
  const driver = mysql({ uri: fresh.url });
  await driver.schema.migrate();
  await driver.close();
  const pool = createPool(fresh.url);
  onTestFinished(() => pool.end());
  const closed = await createConnection(fresh.url);
  closed.destroy();
  const connect = vi.fn(() => createConnection(fresh.url)).mockImplementationOnce(async () => closed);
  const ringer = new Ringer(context(new URL(fresh.url).pathname.slice(1), 20_000), pool, connect);
  onTestFinished(() => ringer.close());
  await expect(ringer.interrupt([{ queue: 'q' }])).rejects.toMatchObject({ code: 'ConnectionLost' });
  await ringer.interrupt([{ queue: 'q' }]);
  await ringer.interrupt([{ queue: 'q' }]);
  expect(connect).toHaveBeenCalledTimes(2);
});

test('a worker whose session ends while it is looked for keeps no other from being woken', async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  onTestFinished(() => fresh.drop());
  const driver = mysql({ uri: fresh.url });
  onTestFinished(() => driver.close());
  await driver.schema.migrate();
  const pool = createPool(fresh.url);
  onTestFinished(() => pool.end());
  const worker = { host: 'here', pid: 1, queues: ['q'] };
  const [leaving, staying] = [
    await driver.workers.anchor({ ...worker, name: 'leaving' }),
    await driver.workers.anchor({ ...worker, name: 'staying' }),
  ];
  onTestFinished(() => staying.release());

  const session = await createConnection(fresh.url);
  const execute = session.execute.bind(session);
  const killed = vi.spyOn(session, 'query');
  const ended: unknown[] = [];
  vi.spyOn(session, 'execute').mockImplementation(async (...statement) => {
    const [rows, fields] = await execute(...statement);
    if (Array.isArray(rows)) {
      // As the server answers when the lock goes between the two looks at it.
      const row = rows.find((each) => Object(each).worker === `${leaving.workerId}`);
      if (row !== undefined) ended.push(Object.assign(row, { connection: null }));
    }
    return [rows, fields];
  });
  const ringer = new Ringer(context(new URL(fresh.url).pathname.slice(1), 20_000), pool, async () => session);
  onTestFinished(() => ringer.close());
  await ringer.interrupt([{ queue: 'q' }]);
  expect(ended).toHaveLength(1);
  expect(killed).toHaveBeenCalledTimes(1);
  await leaving.release();
});
