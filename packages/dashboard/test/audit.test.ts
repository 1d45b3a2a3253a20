import type { Stored } from '@rowlock/core';
import type { AuditPage } from '@rowlock/core/types';
import { expect, test } from 'vitest';
import { ROUTES } from '../src/routes/routes.js';
import { Mail, Report, stages } from './stage.js';

const stage = stages();

const SECRET = 'nobody else may read this';

/** How each change of the page is made, by its call. */
const BODIES: Readonly<Record<string, (ids: readonly string[]) => object>> = {
  enqueue: () => ({ kind: Mail.kind, payload: { to: SECRET } }),
  'job/update': ([id]) => ({ id, payload: { to: SECRET }, priority: 5 }),
  'job/cancel': ([id]) => ({ id }),
  'job/redrive': ([id]) => ({ id }),
  'jobs/cancel': () => ({ filter: 'queue=mail&payload={"to":"bob"}' }),
  'jobs/redrive': () => ({ filter: 'queue=mail&status=cancelled' }),
  'jobs/run': () => ({ filter: 'queue=mail&status=new' }),
  'jobs/move': () => ({ filter: 'queue=mail&status=new', queue: 'letters' }),
  'jobs/delete': () => ({ filter: 'kind=report&status=cancelled' }),
  'errors/mute': () => ({ id: 'ENOROUTE 1' }),
  'errors/unmute': () => ({ id: 'ENOROUTE 1' }),
  'errors/note': () => ({ id: 'ENOROUTE 1', text: 'mine' }),
  pause: () => ({ scope: 'queue', name: 'mail', reason: 'down' }),
  resume: () => ({ scope: 'queue', name: 'mail' }),
  'limits/set': () => ({ name: 'maps', max: 3 }),
  'limits/reset': () => ({ name: 'maps' }),
  'schedules/set': () => ({
    name: 'hourly',
    kind: Report.kind,
    payload: { of: SECRET },
    every: '1h',
    priority: 0,
  }),
  'schedules/run': () => ({ name: 'nightly' }),
  'schedules/pause': () => ({ name: 'nightly' }),
  'schedules/resume': () => ({ name: 'nightly' }),
  'schedules/remove': () => ({ name: 'nightly' }),
};

test("each change of the page is on record with the viewer's name, and nothing that is only read is", async () => {
  const { rowlock, get, post, read } = await stage({
    access: () => ({ can: ['operator', 'enqueue'], name: 'ada' }),
  });
  const changes = Object.keys(ROUTES).flatMap((route) => (route.startsWith('POST ') ? route.slice(5) : []));
  expect(Object.keys(BODIES).sort()).toEqual(changes.sort());
  const { publicId } = await rowlock.enqueue(Mail, { payload: { to: 'ada' } });
  await rowlock.enqueue(Mail, { payload: { to: 'bob' } });
  const old = await rowlock.enqueue(Report, { payload: { of: 'x' } });
  await rowlock.cancel(old.publicId);
  await rowlock.schedules.set('nightly', { handler: Report, payload: { of: SECRET }, cron: '0 3 * * *' });
  for (const [call, body] of Object.entries(BODIES)) {
    const response = await post(`/api/${call}`, body([publicId]));
    expect(response.status, `${call}: ${await response.text()}`).toBe(200);
  }
  for (const screen of ['overview', 'jobs', 'errors', 'runs', 'limits']) await get(`/api/${screen}`);
  const { entries, cursor } = await read<Stored<AuditPage>>('audit');
  expect(cursor).toBeNull();
  expect(entries.every(({ by }) => by === 'ada')).toBe(true);
  expect(entries.map(({ action, scope }) => `${action} ${scope}`).reverse()).toEqual([
    ...[
      'enqueue job',
      'update job',
      'cancel job',
      'redrive job',
      'cancel jobs',
      'redrive jobs',
      'update jobs',
      'delete jobs',
    ],
    ...['mute error', 'unmute error', 'note error'],
    ...['pause queue', 'resume queue', 'set limit', 'reset limit'],
    ...['set schedule', 'run schedule', 'pause schedule', 'resume schedule', 'remove schedule'],
  ]);
  expect(JSON.stringify(entries)).not.toContain(SECRET);
});

test('the audit is found by operator, action, scope and name, a page at a time', async () => {
  const { rowlock, read, get } = await stage();
  for (let n = 0; n < 60; n++) await rowlock.as('ada').jobs.resume({ queue: `q${n}` });
  await rowlock.as('bob').jobs.pause({ queue: 'q1' });
  const first = await read<Stored<AuditPage>>('audit?by=ada');
  expect(first.entries).toHaveLength(50);
  const second = await read<Stored<AuditPage>>(`audit?by=ada&cursor=${first.cursor}`);
  expect(second.entries.map(({ name }) => name).at(-1)).toBe('q0');
  expect(second).toMatchObject({ cursor: null, entries: { length: 10 } });
  expect((await read<Stored<AuditPage>>('audit?scope=queue&name=q1')).entries.map(({ by }) => by)).toEqual([
    'bob',
    'ada',
  ]);
  expect((await read<Stored<AuditPage>>('audit?action=pause')).entries).toHaveLength(1);
  expect((await get('/api/audit?action=destroy')).status).toBe(400);
});
