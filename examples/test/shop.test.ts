import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createRowlock } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';
import { postgres } from '@rowlock/driver-postgres';
import { freshDatabase, freshMysqlDatabase } from '@rowlock/servers';
import { expect, inject, onTestFinished, test } from 'vitest';
import { BillOrder, Order } from '../shop/shared/kinds.js';

const SHAPES = {
  async fastify() {
    const { url, drop } = await freshDatabase(inject('postgresUrl'));
    return { url, drop, rowlock: createRowlock({ driver: postgres({ connectionString: url }) }) };
  },
  async nest() {
    const { url, drop } = await freshMysqlDatabase(inject('mysqlUrl'));
    return { url, drop, rowlock: createRowlock({ driver: mysql({ uri: url }) }) };
  },
} as const;

/** The server of a shape as a process of its own, and a Rowlock on its database that has no handlers. */
async function open(shape: keyof typeof SHAPES) {
  const { url, drop, rowlock } = await SHAPES[shape]();
  onTestFinished(drop);
  onTestFinished(() => rowlock.close());
  const program = fileURLToPath(new URL(`../dist/shop/${shape}/server.js`, import.meta.url));
  const env = { ...process.env, DATABASE_URL: url, PORT: '0' };
  const server = spawn(process.execPath, [program], { env });
  onTestFinished(() => void server.kill('SIGKILL'));
  const errors: unknown[] = [];
  server.stderr.on('data', (data) => errors.push(data));
  const ended = new AbortController();
  server.once('exit', () => ended.abort(errors.join('')));
  const [address] = await once(createInterface(server.stdout), 'line', ended);
  return { server, address, rowlock };
}

test.each(['fastify', 'nest'] as const)('the shop of %s sells, bills and reports', async (shape) => {
  const { server, address, rowlock } = await open(shape);
  const get = (path: string, headers = {}) => fetch(`${address}${path}`, { headers });
  const post = (path: string, body: object, given = {}) => {
    const headers = { 'content-type': 'application/json', ...given };
    return fetch(`${address}${path}`, { method: 'POST', body: JSON.stringify(body), headers });
  };
  const order = async (customer: string, products: readonly string[]) =>
    (await post('/orders', { tenant: 'acme', customer, products })).status;
  const orders = async (customer: string) => (await get(`/orders/${customer}`)).json();
  const settled = async (kind: string, key: string) => {
    const { jobs } = await rowlock.jobs.list({ kind, key });
    return Promise.all(jobs.map(({ publicId }) => rowlock.settled(publicId)));
  };

  // Three orders take their stock one by one, and are confirmed in one run.
  expect(await order('ada', ['oar', 'oar', 'oar'])).toBe(201);
  await settled('stock.reserve', 'ada');
  const mail = { status: 'complete', output: 'to ada: 3 confirmed' };
  expect(await settled('order.confirm', 'ada')).toMatchObject([mail, mail, mail]);

  // Neither orders nor jobs are left of a transaction that is rolled back, nor of a wrong request.
  expect(await order('bob', Array(11).fill('oar'))).toBe(409);
  expect(await order('bob', [])).toBe(400);
  expect(await orders('bob')).toEqual([]);
  expect(await rowlock.jobs.count({ key: 'bob' })).toMatchObject({ count: 0 });

  // What is sold out fails, and the job that follows marks the order.
  expect(await order('cy', ['lock'])).toBe(201);
  await settled('stock.reserve', 'cy');
  await settled('order.failed', 'cy');
  expect(await orders('cy')).toMatchObject([{ state: 'failed' }]);

  // A webhook that comes twice bills once, and a job of the version before has the default of this one.
  const [first, second] = await orders('ada');
  const pay = async () =>
    (await post('/payments', { order: first.id, tenant: 'acme' }, { 'idempotency-key': 'payment 7' })).json();
  expect([await pay(), await pay()]).toEqual([{ outcome: 'enqueued' }, { outcome: 'duplicate' }]);
  const before = { ...BillOrder, payload: Order.pick({ order: true, tenant: true }) };
  await rowlock.enqueue(before, { payload: { order: second.id, tenant: 'acme' } });
  const { jobs } = await rowlock.jobs.list({ kind: 'order.bill' });
  expect(await Promise.all(jobs.map(({ publicId }) => rowlock.settled(publicId)))).toMatchObject(
    Array(2).fill({ output: 'billed in EUR', limits: { 'bills of acme': { max: 2, starts: 60 } } }),
  );
  expect(await orders('ada')).toMatchObject([
    { state: 'billed' },
    { state: 'billed' },
    { state: 'confirmed' },
  ]);

  // Each change of the table has a job, and the last run has seen all changes.
  expect(await settled('order.changed', 'ada')).toContainEqual(expect.objectContaining({ output: '1 open' }));

  // A report is waited for, and one is written each night.
  expect(await (await post('/reports', {})).json()).toEqual({ ada: 1, cy: 1 });
  expect(await rowlock.schedules.list()).toMatchObject([{ name: 'report.nightly', kind: 'report.write' }]);

  expect((await get('/health/ready')).status).toBe(200);
  const scrape = await get('/metrics');
  expect(scrape.headers.get('content-type')).toMatch(/^text\/plain; *version=/);
  expect(await scrape.text()).toMatch(/settled_total\{.*"order\.bill".*"complete".*\} 2/);
  expect((await get('/rowlock/api/session')).status).toBe(403);
  expect((await get('/rowlock/api/session', { authorization: 'Bearer staff' })).status).toBe(200);

  server.kill('SIGTERM');
  expect(await once(server, 'exit')).toEqual([0, null]);
});

test('both shapes together have fewer than 600 lines', () => {
  const files = globSync('../shop/**/*.ts', { cwd: import.meta.dirname });
  const lines = files.map(
    (file) => readFileSync(new URL(file, import.meta.url), 'utf8').match(/\n/g)?.length ?? 0,
  );
  expect(lines.reduce((sum, each) => sum + each, 0)).toBeLessThan(600);
});
