import { setImmediate as turn } from 'node:timers/promises';
import { severableServer } from '@rowlock/driver-conformance/internal';
import { freshMysqlDatabase } from '@rowlock/servers';
import { createConnection } from 'mysql2/promise';
import { expect, onTestFinished, test, vi } from 'vitest';
import { onNew } from '../src/connection/connect.js';
import { mysql } from '../src/index.js';
import { Ringer } from '../src/workers/ringer.js';
import { serverUrl } from './server.js';

test('when the ringer cannot be closed, everything else is, and the caller sees the error', async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  onTestFinished(() => fresh.drop());
  const driver = mysql({ uri: fresh.url });
  const close = vi.spyOn(Ringer.prototype, 'close').mockImplementation(async function (this: Ringer) {
    close.mockRestore();
    await this.close();
    throw new Error('not now');
  });
  await driver.schema.migrate();
  await driver.workers.list();
  await expect(driver.close()).rejects.toThrow('not now');
  await expect(driver.workers.list()).rejects.toThrow('Pool is closed');
  await expect(driver.close()).rejects.toThrow('not now');
});

test('a connection that is lost while the driver closes is closed', async () => {
  const fresh = await freshMysqlDatabase(serverUrl);
  onTestFinished(() => fresh.drop());
  const { hostname, port } = new URL(fresh.url);
  const server = await severableServer({ host: hostname, port: Number(port) });
  onTestFinished(() => server.sever());
  const uri = new URL(fresh.url);
  uri.host = `${server.host}:${server.port}`;
  const driver = mysql({ uri: uri.href });
  const held = driver.claims.session({ idleLimitMs: 60_000 });
  const asked = held.handle.query('SELECT SLEEP(60)').catch((error: unknown) => error);
  await turn();
  const closed = driver.close();
  await turn();
  server.cut();
  await closed;
  expect(await asked).toBeInstanceOf(Error);
  await held.rollback();
});

test('a login that the server refuses while the driver closes fails its call, and not the close', async () => {
  const uri = new URL(serverUrl);
  uri.pathname = '/rowlock';
  uri.password = 'of last year';
  const driver = mysql({ uri: uri.href });
  const calls = [1, 2, 3].map(() => driver.workers.list().catch((error: unknown) => error));
  await Promise.race(calls);
  await driver.close();
  for (const error of await Promise.all(calls)) expect(error).toMatchObject({ name: 'DriverError' });
});

test('a connection of its own says that it leaves, or the server counts its session as aborted', async () => {
  const client = await createConnection({ uri: serverUrl });
  const [end, destroy] = [vi.spyOn(client, 'end'), vi.spyOn(client, 'destroy')];
  expect(
    await onNew(
      async () => client,
      async () => 'done',
    ),
  ).toBe('done');
  expect(end).toHaveBeenCalledOnce();
  expect(destroy).not.toHaveBeenCalled();
});
