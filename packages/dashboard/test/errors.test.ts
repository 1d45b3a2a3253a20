import type { Stored } from '@rowlock/core';
import type { AuditPage } from '@rowlock/core/types';
import { expect, test } from 'vitest';
import type { ErrorsView } from '../src/views.js';
import { Mail, stages, worked } from './stage.js';

const stage = stages();
const access = () => ({ can: 'operator', name: 'ada' }) as const;

test('errors are muted by name, by all who have them, until a time or until they are unmuted', async () => {
  const { rowlock, read, post } = await stage({ access });
  await rowlock.enqueueMany(Mail, [{ payload: { to: '"ada"' } }, { payload: { to: 'bob' } }]);
  await worked(rowlock, 2);
  const groups = async () => (await read<Stored<ErrorsView>>('errors')).groups;
  const muted = async () => (await groups()).map((group) => group.muted);
  const [first, second] = await groups();
  expect(first?.id).toMatch(/^ENOROUTE [\da-f]{16}$/);
  expect(second?.id).not.toBe(first?.id);
  expect(await muted()).toEqual([null, null]);
  expect((await post('/api/errors/mute', { id: first?.id })).status).toBe(200);
  expect(await muted()).toEqual([{ by: 'ada', at: expect.any(String), until: null }, null]);
  await post('/api/errors/unmute', { id: first?.id });
  expect(await muted()).toEqual([null, null]);
  const until = new Date(Date.now() + 3_600_000);
  await post('/api/errors/mute', { id: second?.id, until });
  expect(await muted()).toEqual([null, { by: 'ada', at: expect.any(String), until: until.toISOString() }]);
  await rowlock.as('bob').errors.mute(second?.id ?? '', { until: new Date(Date.now() - 1) });
  await post('/api/errors/note', { id: second?.id, text: 'looked at' });
  expect(await muted()).toEqual([null, null]);
});

test('the newest note of errors is shown, and the audit has all of them', async () => {
  const { rowlock, read, post } = await stage({ access });
  await rowlock.enqueue(Mail, { payload: { to: 'bob' } });
  await worked(rowlock, 1);
  const groups = async () => (await read<Stored<ErrorsView>>('errors')).groups;
  const [{ id } = { id: '' }] = await groups();
  for (const text of ['whose is it?', 'mine'])
    expect((await post('/api/errors/note', { id, text })).status).toBe(200);
  expect(await groups()).toMatchObject([{ note: { by: 'ada', text: 'mine' }, muted: null }]);
  const { entries } = await read<Stored<AuditPage>>(`audit?scope=error&name=${encodeURIComponent(id)}`);
  expect(entries.map(({ by, action, details }) => [by, action, details])).toEqual([
    ['ada', 'note', { text: 'mine' }],
    ['ada', 'note', { text: 'whose is it?' }],
  ]);
});

test.each([
  ['mute', { id: '' }],
  ['mute', { id: 'x', until: '2020-01-01T00:00:00Z' }],
  ['mute', { until: '2099-01-01T00:00:00Z' }],
  ['unmute', { id: 'x'.repeat(129) }],
  ['note', { id: 'x' }],
  ['note', { id: 'x', text: '' }],
  ['note', { id: 'x', text: 'y'.repeat(513) }],
])('400 for errors/%s of %j', async (name, body) => {
  const { post } = await stage({ access });
  expect((await post(`/api/errors/${name}`, body)).status).toBe(400);
});

test('who may only read says nothing of errors', async () => {
  const { post } = await stage({ access: () => 'read-only' });
  expect((await post('/api/errors/note', { id: 'x', text: 'y' })).status).toBe(403);
});
