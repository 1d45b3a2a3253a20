import type { Stored } from '@rowlock/core';
import { expect, test, vi } from 'vitest';
import type { PictureView } from '../src/views.js';
import { Report, stages } from './stage.js';

const stage = stages();

type View = Stored<PictureView>;

test('the front of a queue, with each run once', async () => {
  const { rowlock, read } = await stage();
  const { publicId: first } = await rowlock.enqueue(Report, { payload: { of: 'x' }, key: 'k' });
  const { publicId: second } = await rowlock.enqueue(Report, { payload: { of: 'y' }, key: 'k', delay: '1h' });
  expect(await read<View>('picture?queue=default')).toMatchObject({
    queue: 'default',
    more: false,
    runs: [],
    workers: [],
    jobs: [
      { id: first, kind: 'report', key: 'k', state: 'unserved' },
      { id: second, kind: 'report', key: 'k', state: 'delayed', dueAt: expect.any(String) },
    ],
  });
});

test('a queue that nobody knows is empty, and one that is not named is refused', async () => {
  const { get, read } = await stage();
  expect(await read<View>('picture?queue=none')).toMatchObject({ jobs: [], more: false });
  expect((await get('/api/picture')).status).toBe(400);
  expect((await get('/api/picture?queue=default&limit=many')).status).toBe(400);
  expect((await get('/api/picture?queue=default&limit=10001')).status).toBe(400);
});

test('the viewers of a queue share its picture', async () => {
  const { rowlock, get } = await stage();
  const looks = vi.spyOn(rowlock.insight, 'picture');
  await Promise.all(Array.from({ length: 10 }, () => get('/api/picture?queue=default')));
  await get('/api/picture?queue=other');
  expect(looks).toHaveBeenCalledTimes(2);
});

test('a long answer is compressed for those who take it', async () => {
  const { rowlock, get } = await stage();
  await rowlock.enqueueMany(
    Report,
    Array.from({ length: 200 }, () => ({ payload: { of: 'x' } })),
  );
  // At once, so that both are of one look, which has its time in it.
  const [plain, zipped] = await Promise.all([
    get('/api/picture?queue=default'),
    get('/api/picture?queue=default', { headers: { 'accept-encoding': 'br, gzip' } }),
  ]);
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(zipped.headers.get('content-encoding')).toBe('gzip');
  const { body } = zipped;
  const text = await new Response(body?.pipeThrough(new DecompressionStream('gzip'))).text();
  expect(text).toBe(await plain.text());
});
