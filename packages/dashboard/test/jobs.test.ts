import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Stored } from '@rowlock/core';
import type { ManyChanged } from '@rowlock/core/types';
import { expect, test, vi } from 'vitest';
import type { Redact } from '../src/redact.js';
import type { ErrorsView, JobsView } from '../src/views.js';
import { Mail, Report, stages, worked } from './stage.js';

const stage = stages();

type Jobs = Stored<JobsView>;

const linesOf = async (response: Response): Promise<readonly object[]> =>
  (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('the address is the filter, and the cursor leads on', async () => {
  const { rowlock, read } = await stage();
  await rowlock.enqueueMany(
    Report,
    Array.from({ length: 60 }, (_, place) => ({ payload: { of: String(place) } })),
  );
  await rowlock.enqueue(Mail, { payload: { to: 'ada' }, key: 'ada' });
  const byKey = await read<Jobs>('jobs?queue=mail&kind=mail.send&key=ada&status=new&status=error');
  expect(byKey.jobs).toEqual([expect.objectContaining({ kind: 'mail.send', key: 'ada' })]);
  expect(byKey.jobs[0]).not.toHaveProperty('payload');
  const byPayload = await read<Jobs>(`jobs?${new URLSearchParams({ payload: '{"of":"7"}' })}`);
  expect(byPayload.jobs).toHaveLength(1);
  const first = await read<Jobs>('jobs?kind=report');
  expect(first.jobs).toHaveLength(50);
  const second = await read<Jobs>(`jobs?kind=report&cursor=${first.cursor}`);
  expect(second).toMatchObject({ jobs: { length: 10 }, cursor: null });
  const oldest = await read<Jobs>('jobs?kind=report&order=oldest');
  expect(oldest.jobs[0]).toEqual(second.jobs.at(-1));
  const rest = await read<Jobs>(`jobs?kind=report&order=oldest&cursor=${oldest.cursor}`);
  expect(rest.jobs.toReversed()).toEqual(first.jobs.slice(0, 10));
  expect(await read('jobs/count?kind=report')).toEqual({ count: 60, more: false });
});

test.each([
  'stat=error',
  'status=errors',
  'created-from=yesterday',
  'payload={',
  'payload=[]',
  'cursor=x',
  'order=kind',
])('the address %s is refused', async (query) => {
  const { get } = await stage();
  expect((await get(`/api/jobs?${query}`)).status).toBe(400);
});

test('many jobs: the number first, then the change with its progress', async () => {
  const { rowlock, post } = await stage();
  await rowlock.enqueueMany(
    Report,
    Array.from({ length: 150 }, () => ({ payload: { of: 'x' } })),
  );
  const dry = await linesOf(await post('/api/jobs/cancel', { filter: 'kind=report', dryRun: true }));
  expect(dry.at(-1)).toEqual({ found: 150, changed: 0, signalled: 0, skipped: 0, done: true });
  expect(await rowlock.jobs.count({ status: 'new' })).toMatchObject({ count: 150 });
  const made = await linesOf(await post('/api/jobs/cancel', { filter: 'kind=report' }));
  expect(made).toEqual([
    { found: 100, changed: 100, signalled: 0, skipped: 0 },
    { found: 150, changed: 150, signalled: 0, skipped: 0 },
    { found: 150, changed: 150, signalled: 0, skipped: 0, done: true },
  ]);
  const deleted = await linesOf(await post('/api/jobs/delete', { filter: 'kind=report' }));
  expect(deleted.at(-1)).toMatchObject({ changed: 150, done: true });
  expect(await rowlock.jobs.count()).toMatchObject({ count: 0 });
});

test('many jobs are due at once, but for those that are due, and move to another queue', async () => {
  const { rowlock, post } = await stage();
  await rowlock.enqueueMany(Report, [
    { payload: { of: 'a' }, delay: '1h' },
    { payload: { of: 'b' }, delay: '2h' },
    { payload: { of: 'c' } },
  ]);
  const before = await rowlock.jobs.list({ payload: { of: 'c' } });
  const run = await linesOf(await post('/api/jobs/run', { filter: 'kind=report' }));
  expect(run.at(-1)).toMatchObject({ found: 2, changed: 2, done: true });
  expect(await rowlock.jobs.count({ due: { from: new Date(Date.now() + 60_000) } })).toMatchObject({
    count: 0,
  });
  expect(await rowlock.jobs.list({ payload: { of: 'c' } })).toEqual(before);
  const dry = await linesOf(await post('/api/jobs/move', { filter: 'kind=report', dryRun: true }));
  expect(dry.at(-1)).toMatchObject({ found: 3, changed: 0, done: true });
  const missing = await linesOf(await post('/api/jobs/move', { filter: 'kind=report' }));
  expect(missing).toEqual([{ problem: 'queue is missing.' }]);
  await linesOf(await post('/api/jobs/move', { filter: 'kind=report', queue: 'slow' }));
  expect(await rowlock.jobs.count({ queue: 'slow' })).toMatchObject({ count: 3 });
});

test.each(['cancel', 'run'])(
  'a filter that means everything is a problem in the last line of %s, and changes nothing',
  async (change) => {
    const { rowlock, post } = await stage();
    await rowlock.enqueue(Report, { payload: { of: 'x' } });
    const lines = await linesOf(await post(`/api/jobs/${change}`, { filter: '' }));
    expect(lines).toEqual([{ problem: expect.stringMatching(/one condition/) }]);
    expect(await rowlock.jobs.count({ status: 'new' })).toMatchObject({ count: 1 });
  },
);

test('many jobs: the work ends after the step in which the browser has gone', async () => {
  const gone = new AbortController();
  // Node collects the signal of a request together with the request.
  const { rowlock, post } = await stageOfMany(() => {
    collectGarbage();
    gone.abort();
  });
  const { body } = await post('/api/jobs/cancel', { filter: 'kind=report' }, { signal: gone.signal });
  const reader = body?.getReader();
  let ended = await reader?.read();
  while (ended?.done === false) ended = await reader?.read();
  expect(await rowlock.jobs.count({ status: 'cancelled' })).toMatchObject({ count: 100 });
});

test('many jobs: the work ends when nobody reads its lines any more', async () => {
  const answer = Promise.withResolvers<Response>();
  const { rowlock, post, calls } = await stageOfMany(async () => (await answer.promise).body?.cancel());
  answer.resolve(await post('/api/jobs/cancel', { filter: 'kind=report' }));
  expect(calls).toHaveLength(1);
  await Promise.allSettled(calls);
  expect((await rowlock.jobs.count({ status: 'cancelled' })).count).toBeLessThan(1_000);
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

/** 1,000 jobs, and what happens when the first 100 of them have been cancelled, before the next step begins. */
async function stageOfMany(afterFirst: () => unknown) {
  const staged = await stage();
  const { rowlock } = staged;
  await rowlock.enqueueMany(
    Report,
    Array.from({ length: 1_000 }, () => ({ payload: { of: 'x' } })),
  );
  const calls: Promise<unknown>[] = [];
  const as = rowlock.as.bind(rowlock);
  vi.spyOn(rowlock, 'as').mockImplementation((name) => {
    const operator = as(name);
    const cancelMany = operator.jobs.cancelMany.bind(operator.jobs);
    vi.spyOn(operator.jobs, 'cancelMany').mockImplementation((filter, options) => {
      const onProgress = (line: ManyChanged): void => {
        options?.onProgress?.(line);
        afterFirst();
      };
      const call = cancelMany(filter, { ...options, onProgress });
      calls.push(call);
      return call;
    });
    return operator;
  });
  return { ...staged, calls };
}

test('a job with its runs, its error and the reason', async () => {
  const { rowlock, read, post } = await stage();
  const { publicId: id } = await rowlock.enqueue(Mail, { payload: { to: 'ada' } });
  const waiting = await read(`job?id=${id}`);
  expect(waiting).toMatchObject({
    job: { publicId: id, payload: { to: 'ada' }, status: 'new' },
    runs: [],
    explanation: { reasons: [{ reason: 'unserved' }] },
  });
  await worked(rowlock, 1);
  // Not the look that is shared for a while.
  const failed = await read(`job?id=${id}&again`);
  expect(failed).toMatchObject({
    job: { status: 'error', error: { code: 'ENOROUTE', message: 'no route to ada' } },
    runs: [{ outcome: 'fail' }],
    explanation: { reasons: [{ reason: 'settled' }] },
  });
  expect((await post('/api/job/redrive', { id })).status).toBe(200);
  expect((await post('/api/job/redrive', { id })).status).toBe(409);
  const runAt = '2030-01-01T00:00:00.000Z';
  const updated = await post('/api/job/update', { id, priority: -5, runAt, payload: { to: 'bob' } });
  expect(await updated.json()).toEqual({ outcome: 'updated' });
  expect(await rowlock.find(id)).toMatchObject({
    priority: -5,
    availableAt: new Date(runAt),
    payload: { to: 'bob' },
  });
  expect(await (await post('/api/job/cancel', { id })).json()).toEqual({ outcome: 'cancelled' });
});

test.each([
  [404, 'cancel', { id: 'none' }],
  [400, 'cancel', {}],
  [400, 'update', { id: '01890a5d-ac96-774b-bcce-b302099a8057' }],
  [400, 'update', { id: '01890a5d-ac96-774b-bcce-b302099a8057', priority: 'high' }],
  [404, 'update', { id: '01890a5d-ac96-774b-bcce-b302099a8057', priority: 1 }],
])('%i for job/%s of %j', async (status, name, body) => {
  const { post } = await stage();
  expect((await post(`/api/job/${name}`, body)).status).toBe(status);
});

test('a job of which somebody else has changed the same is not overwritten', async () => {
  const { rowlock, post } = await stage();
  const { publicId: id } = await rowlock.enqueue(Report, { payload: { of: 'x' } });
  const { payload, priority, availableAt: runAt } = (await rowlock.find(id)) ?? {};
  const was = { payload, priority, runAt };
  await rowlock.update(id, { payload: { of: 'y' } });
  const refused = await post('/api/job/update', { id, payload: { of: 'z' }, priority: 3, was });
  expect(await refused.json()).toMatchObject({
    status: 409,
    detail: 'Somebody has changed payload of the job meanwhile: read it again.',
  });
  expect((await post('/api/job/update', { id, priority: 3, runAt, was })).status).toBe(200);
  expect(await rowlock.find(id)).toMatchObject({ payload: { of: 'y' }, priority: 3 });
  expect((await post('/api/job/update', { id: 'none', priority: 3, was })).status).toBe(404);
});

test('failed jobs by kind and by what their errors have in common, with the filter that finds them', async () => {
  const { rowlock, read: answer } = await stage();
  await rowlock.enqueueMany(Mail, [
    { payload: { to: 'bob' } },
    { payload: { to: '"ada"' } },
    { payload: { to: '"eve"' } },
  ]);
  await worked(rowlock, 3);
  const { groups, read, more } = await answer<Stored<ErrorsView>>('errors');
  expect({ read, more }).toEqual({ read: 3, more: false });
  expect(groups).toMatchObject([
    { kinds: ['mail.send'], code: 'ENOROUTE', pattern: 'no route to \u2026', jobs: 2 },
    { kinds: ['mail.send'], code: 'ENOROUTE', message: 'no route to bob', jobs: 1 },
  ]);
  expect(groups.map(({ line }) => line.reduce((sum, each) => sum + each))).toEqual([2, 1]);
  const [first, last] = [Date.parse(groups[0]?.first ?? ''), Date.parse(groups[0]?.last ?? '')];
  expect(first).toBeLessThanOrEqual(last);
  // Those of the other group have the same words, and more.
  expect(await answer(`jobs/count?${groups[0]?.filter}`)).toEqual({ count: 3, more: false });
  expect(await answer(`jobs/count?${groups[1]?.filter}`)).toEqual({ count: 1, more: false });
});

test('where an error was thrown is on the page of its job and in its runs, and in no list', async () => {
  const { rowlock, read } = await stage({ redact: (value, _, part) => (part === 'payload' ? null : value) });
  const { publicId: id } = await rowlock.enqueue(Mail, { payload: { to: 'ada' } });
  await worked(rowlock, 1);
  const thrown = { code: 'ENOROUTE', message: 'no route to ada' };
  const here = { ...thrown, stack: expect.stringContaining('stage.ts') };
  expect(await read(`job?id=${id}`)).toMatchObject({ job: { error: here }, runs: [{ error: here }] });
  expect((await read<Jobs>('jobs')).jobs).toMatchObject([{ error: thrown }]);
  expect(JSON.stringify([await read('jobs'), await read('runs?limit=10')])).not.toContain('stage.ts');
});

test('a stack leaves the server as redact says', async () => {
  const redact: Redact = (value, _, part) =>
    part === 'error' && Object(value) === value ? { ...Object(value), stack: 'at x' } : value;
  const { rowlock, read } = await stage({ redact });
  const { publicId: id } = await rowlock.enqueue(Mail, { payload: { to: 'ada' } });
  await worked(rowlock, 1);
  expect(await read(`job?id=${id}`)).toMatchObject({
    job: { error: { stack: 'at x' } },
    runs: [{ error: { stack: 'at x' } }],
  });
});
