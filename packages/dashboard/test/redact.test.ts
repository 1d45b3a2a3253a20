import type { JobView, Json, Stored } from '@rowlock/core';
import { expect, onTestFinished, test } from 'vitest';
import type { RedactedJob, RedactedPart } from '../src/index.js';
import { redactExplanation } from '../src/redact.js';
import type { ErrorsView, JobPageView, JobsView } from '../src/views.js';
import { Mail, Report, stages, worked } from './stage.js';

const stage = stages();

const HIDDEN = 'ada lovelace';

/** Everything that could be personal. */
const redact = (value: Json, _: Pick<JobView, 'kind'>, part: RedactedPart): Json =>
  part === 'error'
    ? { code: 'ENOROUTE', message: 'no route to ***' }
    : { length: JSON.stringify(value).length };

test('what the function hides is in no answer', async () => {
  const { rowlock, get, read } = await stage({ redact });
  const { publicId: id } = await rowlock.enqueue(Mail, {
    payload: { to: HIDDEN },
    metadata: { by: HIDDEN },
  });
  await worked(rowlock, 1);
  await rowlock.schedules.set('mails', { handler: Mail, payload: { to: HIDDEN }, every: '1h' });
  for (const path of [`/api/job?id=${id}`, '/api/jobs', '/api/errors', '/api/schedules']) {
    const text = await (await get(path)).text();
    expect(text).not.toContain(HIDDEN);
    expect(text).toContain('mail.send');
  }
  const { job, explanation } = await read<Stored<JobPageView>>(`job?id=${id}`);
  expect(job).toMatchObject({ payload: { length: 21 }, error: { message: 'no route to ***' } });
  expect(explanation.reasons[0]?.text).toMatch(/ENOROUTE: no route to \*\*\*/);
});

test('a group whose text is hidden is found by its code', async () => {
  const { rowlock, read } = await stage({ redact });
  await rowlock.enqueueMany(Mail, [{ payload: { to: 'ada' } }, { payload: { to: 'bob' } }]);
  await worked(rowlock, 2);
  const { groups } = await read<Stored<ErrorsView>>('errors');
  expect(groups).toMatchObject([
    { jobs: 2, message: 'no route to ***', filter: 'status=error&kind=mail.send&error-code=ENOROUTE' },
  ]);
});

test('a redacted payload cannot be written back', async () => {
  const { rowlock, post, read } = await stage({ redact });
  const { publicId: id } = await rowlock.enqueue(Report, { payload: { of: 'x' } });
  expect(await read('session')).toMatchObject({ redacted: true });
  expect((await post('/api/job/update', { id, payload: { length: 10 } })).status).toBe(409);
  expect((await post('/api/job/update', { id, priority: 3 })).status).toBe(200);
});

test('the sentences of an earlier job of the key are redacted, too', () => {
  const error = { code: 'E', message: 'ada' };
  const cause = {
    reason: 'delayed',
    until: new Date(0),
    attempt: 1,
    maxAttempts: 2,
    error,
    blocks: true,
    text: 'It is due at 1970, after 1 of 2 attempts, with E: ada.',
  } as const;
  const job = { publicId: 'a', kind: 'mail.send' };
  const { reasons } = redactExplanation(
    {
      publicId: 'b',
      status: 'new',
      at: new Date(0),
      reasons: [
        {
          reason: 'earlier',
          key: 'k',
          job,
          causes: [cause],
          blocks: true,
          text: `Job a goes first. ${cause.text}`,
        },
      ],
    },
    job,
    () => ({ code: 'E', message: '***' }),
  );
  expect(JSON.stringify(reasons)).not.toContain('ada');
  expect(reasons[0]?.text).toContain('with E: ***.');
});

test('a value that the function fails at is left out, and the others are shown', async () => {
  const failing = (value: Json, { publicId }: RedactedJob, part: RedactedPart): Json => {
    if (publicId === null || publicId === bad) throw new Error(`cannot read ${JSON.stringify(value)}`);
    return part === 'error' ? { code: 'E', message: 'seen' } : { seen: true };
  };
  let bad = '';
  const { rowlock, get, read, faults } = await stage({ redact: failing });
  const [one, other] = await rowlock.enqueueMany(Mail, [
    { payload: { to: HIDDEN } },
    { payload: { to: 'bob' } },
  ]);
  bad = one?.publicId ?? '';
  await worked(rowlock, 2);
  await rowlock.schedules.set('mails', { handler: Mail, payload: { to: HIDDEN }, every: '1h' });
  const list = await read<Stored<JobsView>>('jobs');
  expect(list.jobs.map(({ publicId, error }) => [publicId, error?.message])).toEqual([
    [other?.publicId, 'seen'],
    [bad, ''],
  ]);
  expect(faults).toEqual([
    {
      err: expect.objectContaining({ message: expect.stringContaining('cannot read') }),
      kind: 'mail.send',
      publicId: bad,
      part: expect.any(String),
    },
  ]);
  for (const path of [
    `/api/job?id=${bad}`,
    '/api/jobs?kind=mail.send',
    '/api/errors',
    '/api/schedules',
    '/api/runs',
  ]) {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(await response.text()).not.toContain(HIDDEN);
  }
  const { job } = await read<Stored<JobPageView>>(`job?id=${bad}`);
  expect(job.payload).toEqual({ redacted: 'failed' });
});

test.each([
  [
    'throws',
    () => {
      throw new Error('full');
    },
  ],
  ['rejects', () => Promise.reject(new Error('full'))],
])('a log that %s costs no answer what failed', async (_, error) => {
  const fails = (): never => {
    throw new Error('no');
  };
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const { rowlock, get } = await stage({ redact: fails, logUrl: fails, log: { error } });
  const { publicId } = await rowlock.enqueue(Mail, { payload: { to: HIDDEN } });
  for (const path of ['/api/jobs?kind=mail.send', `/api/job?id=${publicId}`])
    expect((await get(path)).status).toBe(200);
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});

const circle: { self?: object } = {};
circle.self = circle;

test.each([
  ['undefined', () => undefined],
  ['a number that JSON has not', () => 7n],
  ['a circle', () => circle],
  ['a function', () => () => 7],
  ['a promise', () => Promise.resolve({ to: HIDDEN })],
  ['a promise that is rejected', () => Promise.reject(new Error(HIDDEN))],
  [
    'what cannot be written as JSON',
    () => ({
      toJSON: () => {
        throw new Error('no');
      },
    }),
  ],
])('a function that returns %s hides the value', async (_, returned) => {
  // biome-ignore lint/suspicious/noExplicitAny: as of JavaScript.
  const { rowlock, get } = await stage({ redact: returned as any });
  const { publicId: id } = await rowlock.enqueue(Mail, { payload: { to: HIDDEN }, metadata: { by: HIDDEN } });
  await worked(rowlock, 1);
  for (const path of [`/api/job?id=${id}`, '/api/jobs', '/api/errors', '/api/runs']) {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(await response.text()).not.toContain(HIDDEN);
  }
});
