import type { Stored } from '@rowlock/core';
import type { Trend } from '@rowlock/core/types';
import { expect, test, vi } from 'vitest';
import type { RunsView } from '../src/views.js';
import { Mail, Report, stages, worked } from './stage.js';

const stage = stages();

type View = Stored<RunsView>;

test('the latest runs, newest first, by what the address says', async () => {
  const { rowlock, read, get } = await stage();
  const { publicId } = await rowlock.enqueue(Mail, { payload: { to: 'ada' }, key: 'ada' });
  await worked(rowlock, 1);
  await rowlock.enqueue(Report, { payload: { of: 'x' } });
  await worked(rowlock, 1);
  const { runs, older } = await read<View>('runs');
  expect(older).toBeNull();
  expect(runs.map(({ kind, outcome }) => [kind, outcome])).toEqual([
    ['report', 'complete'],
    ['mail.send', 'fail'],
  ]);
  expect(await read<View>('runs?queue=mail&outcome=fail')).toMatchObject({
    runs: [{ publicId, kind: 'mail.send', key: 'ada', error: { code: 'ENOROUTE' } }],
  });
  expect((await read<View>('runs?before=2026-01-01T00:00Z')).runs).toEqual([]);
  const newest = await read<View>('runs?limit=1');
  expect(newest.runs).toMatchObject([{ kind: 'report' }]);
  expect(await read<View>(`runs?limit=1&before=${newest.older}`)).toMatchObject({
    runs: [{ kind: 'mail.send' }],
  });
  for (const wrong of ['outcome=lost', 'before=never', 'limit=many', 'limit=5001'])
    expect((await get(`/api/runs?${wrong}`)).status).toBe(400);
});

test('errors of runs are redacted', async () => {
  const { rowlock, read } = await stage({
    redact: (value, { kind }, part) => (kind === 'mail.send' && part === 'error' ? null : value),
  });
  await rowlock.enqueue(Mail, { payload: { to: 'ada' } });
  await worked(rowlock, 1);
  const { runs } = await read<View>('runs');
  expect(runs).toMatchObject([{ error: { code: 'redacted', message: '' } }]);
});

test('what was settled, over hours and a week, by one look for all viewers', async () => {
  const { rowlock, read, get } = await stage();
  await rowlock.enqueue(Mail, { payload: { to: 'ada' } });
  await worked(rowlock, 1);
  const looks = vi.spyOn(rowlock.insight, 'trend');
  const [found] = await Promise.all(Array.from({ length: 5 }, () => read<Stored<Trend>>('trend?queue=mail')));
  expect(looks).toHaveBeenCalledTimes(1);
  expect(found).toMatchObject({ stepSeconds: 60 });
  expect(found?.points).toHaveLength(181);
  expect(found?.points.reduce((sum, { failed }) => sum + failed, 0)).toBe(1);
  expect(await read<Stored<Trend>>('trend?last=7d')).toMatchObject({ stepSeconds: 3_600 });
  expect((await get('/api/trend?last=1y')).status).toBe(400);
});
