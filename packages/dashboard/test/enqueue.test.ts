import { setImmediate } from 'node:timers/promises';
import type { Enqueued, Stored } from '@rowlock/core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { JobPageView, KindView } from '../src/views.js';
import { Mail, Report, Secret, stages, worked } from './stage.js';

const stage = stages();

const madeBy = async (response: Response): Promise<Enqueued> => JSON.parse(await response.text());

const MAKER = { access: () => ({ can: ['operator', 'enqueue'], name: 'Ada' }) as const };
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CONTEXT = { traceparent: `00-${TRACE}-b7ad6b7169203331-01`, tracestate: 'x=y' };

test('a new job needs a permission of its own, which an operator has not', async () => {
  const { post, read, rowlock } = await stage();
  const refused = await post('/api/enqueue', { kind: 'report', payload: { of: 'x' } });
  expect(await refused.json()).toMatchObject({ status: 403, permission: 'enqueue' });
  expect(await read('session')).toMatchObject({ can: expect.not.arrayContaining(['enqueue']) });
  expect(await rowlock.jobs.count()).toMatchObject({ count: 0 });
});

test('a new job is checked by its handler, and says who has made it', async () => {
  const { post, read, rowlock } = await stage(MAKER);
  const kinds = await read<readonly KindView[]>('kinds');
  expect(kinds.map(({ kind, queue }) => [kind, queue])).toEqual([
    ['mail.send', 'mail'],
    ['report', 'default'],
    ['secret', 'default'],
  ]);
  expect(kinds[0]?.schema).toMatchObject({ type: 'object', properties: { to: { type: 'string' } } });
  const wrong = await post('/api/enqueue', { kind: 'mail.send', payload: { to: 7 } });
  expect(await wrong.json()).toMatchObject({ status: 400, issues: [{ path: ['to'] }] });
  for (const body of [{ kind: 'none', payload: {} }, { kind: 'report' }, { payload: {} }])
    expect((await post('/api/enqueue', body)).status).toBeOneOf([400, 404]);
  const runAt = '2030-01-01T00:00:00.000Z';
  const whole = { kind: 'mail.send', payload: { to: 'bob' }, key: 'bob', priority: -2, unique: 'one', runAt };
  const { outcome, publicId } = await madeBy(await post('/api/enqueue', whole));
  expect(outcome).toBe('enqueued');
  expect(await rowlock.find(publicId)).toMatchObject({
    ...{ queue: 'mail', payload: { to: 'bob' }, key: 'bob', priority: -2, uniqueKey: 'one', maxAttempts: 1 },
    ...{ availableAt: new Date(runAt), metadata: { 'rowlock.by': 'Ada' } },
  });
  expect(await madeBy(await post('/api/enqueue', whole))).toEqual({ outcome: 'duplicate', publicId });
});

test.each([
  ['5', 400],
  ['2027-02-30T09:00:00Z', 400],
  ['2027-02-30', 400],
  ['2027-04-31T09:00:00+02:00', 400],
  ['2027-01-00', 400],
  ['2027-01-01T25:00Z', 400],
  ['2027-01-01T23:59:60Z', 400],
  ['2027-01-01T9:00', 400],
  ['+012027-01-01', 400],
  ['9999-12-31T23:59:59-05:00', 400],
  ['2028-02-29', 200],
  ['2027-03-01T00:30:00.250+01:00', 200],
])('a job of the time %s is answered by %i', async (runAt, status) => {
  const { post, get } = await stage(MAKER);
  expect((await post('/api/enqueue', { kind: 'report', payload: { of: 'x' }, runAt })).status).toBe(status);
  const listed = await get(`/api/jobs?due-before=${encodeURIComponent(runAt)}`);
  expect(listed.status).toBe(status);
});

test('a request that is sent again with its word makes no second job, also when the first one has ended', async () => {
  const { post, rowlock } = await stage(MAKER);
  const send = async (once: string): Promise<Enqueued> =>
    madeBy(await post('/api/enqueue', { kind: 'report', payload: { of: 'x' }, once, priority: 0 }));
  const [one, other] = [await send('a'), await send('b')];
  await worked(rowlock, 2);
  expect(await send('a')).toEqual({ outcome: 'duplicate', publicId: one.publicId });
  expect(other.outcome).toBe('enqueued');
  expect(await rowlock.jobs.count()).toMatchObject({ count: 2 });
});

test('a job is enqueued again, with another payload and without its trace', async () => {
  const { post, rowlock } = await stage(MAKER);
  const { publicId: again } = await rowlock.enqueue(Mail, {
    ...{ payload: { to: 'ada' }, key: 'ada', priority: 4, attempts: 9 },
    metadata: { ...CONTEXT, tenant: 7 },
  });
  const made = async (body: object) => {
    const { publicId } = await madeBy(await post('/api/enqueue', { again, ...body }));
    return rowlock.find(publicId);
  };
  expect(await made({})).toMatchObject({
    ...{ payload: { to: 'ada' }, key: 'ada', priority: 4, maxAttempts: 9, status: 'new' },
    metadata: { tenant: 7, 'rowlock.again': again, 'rowlock.by': 'Ada' },
  });
  expect(await made({})).not.toHaveProperty('metadata.traceparent');
  expect(await made({ payload: { to: 'bob' }, key: '', priority: 0 })).toMatchObject({
    ...{ payload: { to: 'bob' }, key: null, priority: 0 },
  });
  expect((await post('/api/enqueue', { again, payload: { to: 1 } })).status).toBe(400);
  expect((await post('/api/enqueue', { again: 'none' })).status).toBe(404);
});

test('a job whose handler is elsewhere is enqueued again in its queue, with its limits', async () => {
  const { post, rowlock } = await stage(MAKER);
  const limit = { name: 'printer', max: 2, starts: 5, per: '1m', burst: 2 } as const;
  const other = { kind: 'print', queue: 'printers', payload: z.unknown(), limit };
  const { publicId: again } = await rowlock.enqueue(other, { payload: [1] });
  const { publicId } = await madeBy(await post('/api/enqueue', { again, payload: [2] }));
  const before = await rowlock.find(again);
  expect(await rowlock.find(publicId)).toMatchObject({
    ...{ kind: 'print', queue: 'printers', payload: [2], limits: before?.limits },
  });
  expect((await post('/api/enqueue', { kind: 'print', payload: [3] })).status).toBe(404);
});

test('where payloads are redacted, a job is enqueued again with its own', async () => {
  const { post, rowlock } = await stage({ ...MAKER, redact: () => null });
  const { publicId: again } = await rowlock.enqueue(Mail, { payload: { to: 'ada' } });
  expect((await post('/api/enqueue', { again, payload: { to: 'bob' } })).status).toBe(409);
  const { publicId } = await madeBy(await post('/api/enqueue', { again }));
  expect(await rowlock.find(publicId)).toMatchObject({ payload: { to: 'ada' } });
});

test('a job whose payload is encoded is enqueued again with the same, encoded', async () => {
  const { post, rowlock } = await stage(MAKER);
  const { publicId: again } = await rowlock.enqueue(Secret, { payload: { of: 'ada' } });
  const { publicId } = await madeBy(await post('/api/enqueue', { again }));
  expect(await rowlock.find(Secret, publicId)).toMatchObject({ payload: { of: 'ada' } });
  expect(await rowlock.find(publicId)).toMatchObject({ payload: { 'rowlock.encoded': expect.any(String) } });
});

test('jobs that are named are changed in the states that are named', async () => {
  const { post, rowlock } = await stage();
  const [mail, report] = [
    await rowlock.enqueue(Mail, { payload: { to: 'ada' } }),
    await rowlock.enqueue(Report, { payload: { of: 'x' } }),
  ];
  await worked(rowlock, 2);
  const { publicId: waiting } = await rowlock.enqueue(Report, { payload: { of: 'y' } });
  const ids = [mail.publicId, report.publicId, waiting].map((id) => `id=${id}`).join('&');
  const last = async (path: string, status: string) =>
    (await (await post(path, { filter: `${status}&${ids}` })).text()).trim().split('\n').at(-1);
  expect(await last('/api/jobs/redrive', 'status=error&status=cancelled')).toMatch(
    /"changed":1,.*"done":true/,
  );
  expect(await last('/api/jobs/delete', 'status=complete')).toMatch(/"found":1,"changed":1/);
  expect(await rowlock.find(report.publicId)).toBeUndefined();
  expect(await rowlock.jobs.count({ status: 'new' })).toMatchObject({ count: 2 });
  expect(await last('/api/jobs/delete', 'id=none')).toMatch(/"problem":"There is no job none/);
});

test('a job has links to its trace and its log, without what may be hidden', async () => {
  const given: object[] = [];
  const { rowlock, read } = await stage({
    redact: () => null,
    traceUrl: ({ traceId, spanId }) => `https://traces.example/${traceId}?span=${spanId}`,
    logUrl: (job) => {
      given.push(job);
      return `http://logs.example/?job=${job.publicId}`;
    },
  });
  const links = async (metadata: object) => {
    const { publicId } = await rowlock.enqueue(Mail, { payload: { to: 'ada' }, metadata: { ...metadata } });
    const { links: found } = await read<Stored<JobPageView>>(`job?id=${publicId}`);
    return { ...found, publicId };
  };
  const linked = await links(CONTEXT);
  expect(linked.trace).toBe(`https://traces.example/${TRACE}?span=b7ad6b7169203331`);
  expect(linked.log).toBe(`http://logs.example/?job=${linked.publicId}`);
  expect(await links({ 'rowlock.link': CONTEXT })).toMatchObject({ trace: linked.trace });
  expect(await links({ traceparent: 'none' })).toMatchObject({ trace: null });
  for (const hidden of ['payload', 'output', 'progress', 'metadata', 'error'])
    expect(given[0]).not.toHaveProperty(hidden);
});

test('a link of a function that answers later is left out, and its failure ends no process', async () => {
  const traceUrl: unknown = async () => {
    throw new Error('the trace store is away');
  };
  const { rowlock, read, faults } = await stage({ ...Object({ traceUrl, logUrl: traceUrl }) });
  const { publicId } = await rowlock.enqueue(Mail, { payload: { to: 'ada' }, metadata: CONTEXT });
  expect(await read(`job?id=${publicId}`)).toMatchObject({ links: { trace: null, log: null } });
  // Node reports a rejection that nobody handles at the end of a turn, and vitest fails then.
  await setImmediate();
  expect(faults).toHaveLength(2);
});

test('a link that is none is left out, and logged once', async () => {
  const { rowlock, read, faults } = await stage({
    traceUrl: () => 'javascript:alert(1)',
    logUrl: () => {
      throw new Error('no');
    },
  });
  const { publicId } = await rowlock.enqueue(Mail, { payload: { to: 'ada' }, metadata: CONTEXT });
  for (const again of ['', '&again'])
    expect(await read(`job?id=${publicId}${again}`)).toMatchObject({ links: { trace: null, log: null } });
  expect(faults).toHaveLength(2);
  // @ts-expect-error As JavaScript may have it.
  await expect(stage({ logUrl: 'https://logs.example/' })).rejects.toThrow('logUrl must be a function');
});
