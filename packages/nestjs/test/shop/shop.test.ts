import '@rowlock/servers/vitest';
import { Test } from '@nestjs/testing';
import { Rowlock } from '@rowlock/core';
import { freshMysqlDatabase } from '@rowlock/servers';
import { expect, inject, onTestFinished, test } from 'vitest';
import { ShopDatabase } from './database.js';
import { Mails } from './handlers.js';
import { shop } from './shop.js';

test('a shop confirms, bills, reports and fails orders, and shows what its jobs do', async () => {
  const { url, drop } = await freshMysqlDatabase(inject('mysqlUrl'));
  onTestFinished(drop);
  const module = await Test.createTestingModule({ imports: [shop(url)] }).compile();
  const app = module.createNestApplication({ logger: false });
  onTestFinished(() => app.close());
  await app.listen(0);
  const address = await app.getUrl();
  const get = async (path: string, headers: Record<string, string> = {}) =>
    fetch(`${address}/${path}`, { headers });
  const order = (customer: string, count: number) =>
    fetch(`${address}/orders/${customer}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ count }),
    });
  const orders = (customer: string) =>
    app.get(ShopDatabase).selectFrom('orders').selectAll().where('customer', '=', customer).execute();

  // Three orders of one transaction are confirmed in one run, and then billed.
  expect((await order('ada', 3)).status).toBe(201);
  const done = { state: 'confirmed', billed: 1 };
  await expect.poll(() => orders('ada')).toMatchObject([done, done, done]);
  expect(app.get(Mails).sent.map(({ customer, orders }) => [customer, orders.length])).toEqual([['ada', 3]]);

  // Neither orders nor jobs are left of a transaction that is rolled back.
  expect((await order('bob', 11)).status).toBe(500);
  expect(await orders('bob')).toEqual([]);
  const rowlock = app.get(Rowlock);
  expect(await rowlock.jobs.count({ key: 'bob' })).toMatchObject({ count: 0 });

  // An order that cannot be confirmed is marked by the job that follows its failure.
  await order('nobody', 1);
  await expect.poll(() => orders('nobody')).toMatchObject([{ state: 'failed' }]);

  expect(await rowlock.schedules.list()).toMatchObject([{ name: 'report.nightly', kind: 'report.nightly' }]);
  expect((await get('health/ready')).status).toBe(200);
  expect(await (await get('metrics')).text()).toMatch(
    /rowlock_jobs_settled_total\{.*kind="order\.bill".*outcome="complete".*\} 3/,
  );
  expect((await get('rowlock/api/session')).status).toBe(403);
  expect((await get('rowlock/api/session', { authorization: 'staff' })).status).toBe(200);
});
