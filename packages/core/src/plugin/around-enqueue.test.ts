import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { emptyDatabase, NOTHING } from '../../test/empty-database.js';
import { DriverError } from '../driver/driver-error.js';
import type { NewJob } from '../driver.js';
import { createRowlock } from '../rowlock.js';
import type { EnqueueCall } from './enqueue-call.js';
import type { EnqueueMiddleware } from './middleware.js';
import { definePlugin } from './plugin.js';

const work = { kind: 'work', queue: 'works', payload: z.object({ n: z.number() }) };
const failure = new Error('It failed.');

/** A client with plugins that are named by their places, on a table that gives jobs their places as ids. */
function client(middleware: readonly EnqueueMiddleware[], refusal?: Error) {
  const { driver } = emptyDatabase({ claim: () => undefined, survey: () => NOTHING });
  const statements: (readonly NewJob[])[] = [];
  const logged: object[] = [];
  const silent = () => {};
  const enqueue = async (jobs: readonly NewJob[]) => {
    statements.push(jobs);
    if (refusal !== undefined) throw refusal;
    return jobs.map((_, place) => ({ outcome: 'enqueued' as const, publicId: `job ${place}` }));
  };
  const rowlock = createRowlock({
    driver: {
      ...driver,
      jobs: { ...driver.jobs, enqueue },
      join: () => ({ ...driver, jobs: { ...driver.jobs, enqueue } }),
    },
    plugins: middleware.map((around, place) =>
      definePlugin({ name: `plugin ${place}`, middleware: { enqueue: around } }),
    ),
    log: { debug: silent, info: silent, warn: silent, error: (fields) => void logged.push(fields) },
  });
  const written = () => statements.flat().map(({ payload, metadata }) => ({ payload, metadata }));
  return { rowlock, statements, written, logged };
}

const named = (message: string) =>
  expect.objectContaining({
    code: 'ROWLOCK_PLUGIN',
    plugin: 'plugin 0',
    message: `The plugin "plugin 0": its enqueue middleware ${message}`,
  });

test('a middleware is called once for a call, and sees its jobs', async () => {
  const seen: unknown[] = [];
  const { rowlock } = client([
    ({ kind, queue, job, jobs }, next) => {
      seen.push([
        kind,
        queue,
        jobs.map(({ key, payload, metadata }) => [key, payload, metadata]),
        job === jobs[0],
      ]);
      return next();
    },
  ]);
  await rowlock.enqueue(work, { payload: { n: 1 }, key: 'a', metadata: { user: 7 } });
  await rowlock.enqueueMany(work, [{ payload: { n: 2 } }, { payload: { n: 3 }, key: 'b' }]);
  expect(await rowlock.enqueueMany(work, [])).toEqual([]);
  expect(seen).toEqual([
    ['work', 'works', [['a', { n: 1 }, { user: 7 }]], true],
    [
      'work',
      'works',
      [
        [null, { n: 2 }, {}],
        ['b', { n: 3 }, {}],
      ],
      true,
    ],
  ]);
});

test('the first plugin is the outermost, and each sees what the others have added', async () => {
  const { rowlock, written } = client([
    ({ job }, next) => {
      job.addMetadata({ by: 'first', one: 1 });
      return next();
    },
    ({ job }, next) => {
      job.addMetadata({ by: `second after ${job.metadata.by}` });
      return next();
    },
  ]);
  await rowlock.enqueue(work, { payload: { n: 1 }, metadata: { user: 7, by: 'caller' } });
  expect(written()).toEqual([{ payload: { n: 1 }, metadata: { user: 7, by: 'second after first', one: 1 } }]);
});

test('a payload that a middleware changes is written as it was', async () => {
  const { rowlock, written } = client([
    ({ job }, next) => {
      Object(job.payload).n = 'changed';
      return next();
    },
  ]);
  await rowlock.enqueue(work, { payload: { n: 1 } });
  expect(written()).toEqual([{ payload: { n: 1 }, metadata: {} }]);
});

test('metadata that no row can hold is refused, and nothing is written', async () => {
  for (const more of [{ big: 'x'.repeat(65_536) }, { value: Number.NaN }]) {
    const { rowlock, statements } = client([
      ({ job }, next) => {
        job.addMetadata(more);
        return next();
      },
    ]);
    await expect(rowlock.enqueue(work, { payload: { n: 1 } })).rejects.toMatchObject({
      code: 'ROWLOCK_PLUGIN',
      cause: { code: 'ROWLOCK_INVALID_INPUT' },
    });
    expect(statements).toEqual([]);
  }
});

test('calls that share a statement have their own middleware and metadata', async () => {
  const outcomes: unknown[] = [];
  const { rowlock, statements, written } = client([
    async ({ job }, next) => {
      job.addMetadata({ n: Object(job.payload).n });
      outcomes.push(await next());
    },
  ]);
  const calls = [1, 2, 3, 4, 5].map((n) => rowlock.enqueue(work, { payload: { n } }));
  expect(await Promise.all(calls)).toHaveLength(5);
  expect(statements.length).toBeLessThan(5);
  expect(written()).toEqual([1, 2, 3, 4, 5].map((n) => ({ payload: { n }, metadata: { n } })));
  expect(outcomes).toHaveLength(5);
});

test("a middleware has its caller's async context", async () => {
  const storage = new AsyncLocalStorage<string>();
  const { rowlock, written } = client([
    ({ job }, next) => {
      job.addMetadata({ request: storage.getStore() ?? null });
      return next();
    },
  ]);
  await storage.run('request 7', () => rowlock.enqueue(work, { payload: { n: 1 } }));
  expect(written()).toMatchObject([{ metadata: { request: 'request 7' } }]);
});

test('through tx, a statement is sent at once where no middleware waits before next', () => {
  const { rowlock, statements } = client([(_, next) => next(), async (_, next) => void (await next())]);
  void rowlock.enqueue(work, { payload: { n: 1 } }, { tx: 'open' });
  expect(statements).toHaveLength(1);
});

test('an error of a middleware before next rejects the call, and nothing is written', async () => {
  const { rowlock, statements } = client([
    () => {
      throw failure;
    },
  ]);
  const call = rowlock.enqueue(work, { payload: { n: 1 } });
  await expect(call).rejects.toEqual(named('threw: It failed.'));
  await expect(call).rejects.toMatchObject({ cause: failure });
  expect(statements).toEqual([]);
});

test('a middleware that does not call next rejects the call', async () => {
  const { rowlock, statements } = client([async () => [{ outcome: 'enqueued', publicId: 'none' }]]);
  await expect(rowlock.enqueue(work, { payload: { n: 1 } })).rejects.toEqual(named('did not call next().'));
  expect(statements).toEqual([]);
});

test.each<[string, EnqueueMiddleware]>([
  ['returns something else', async (_, next) => (await next()).length],
  ['returns nothing', (_, next) => void next()],
])('a call ends as its write does, where a middleware %s', async (_, middleware) => {
  expect(await client([middleware]).rowlock.enqueue(work, { payload: { n: 1 } })).toEqual({
    outcome: 'enqueued',
    publicId: 'job 0',
  });
  const refusal = new DriverError('InvalidInput', 'No.');
  const call = client([middleware], refusal).rowlock.enqueue(work, { payload: { n: 1 } });
  await expect(call).rejects.toBe(refusal);
});

test.each<[string, EnqueueMiddleware, string]>([
  [
    'throws',
    async (_, next) => {
      await next();
      throw failure;
    },
    'threw: It failed.',
  ],
  [
    'calls next again',
    async (_, next) => {
      await next();
      await next().catch(() => {});
    },
    'called next() twice, or after its end.',
  ],
])(
  'jobs that are written stay enqueued, and it is logged, where a middleware %s',
  async (_, middleware, message) => {
    const { rowlock, statements, logged } = client([middleware]);
    expect(await rowlock.enqueue(work, { payload: { n: 1 } })).toMatchObject({ outcome: 'enqueued' });
    expect(statements).toHaveLength(1);
    expect(logged).toEqual([{ err: named(message), kind: 'work' }]);
  },
);

test.each<[string, (call: EnqueueCall) => unknown]>([
  ['sort the jobs', ({ jobs }) => Object(jobs).reverse()],
  ['add a job', ({ jobs, job }) => Object(jobs).push(job)],
  ['leave one out', ({ jobs }) => Object(jobs).pop()],
  ['put one in the place of another', (call) => Object.assign(call.jobs, { 0: call.jobs[1] })],
  ['have other jobs', (call) => Object.assign(call, { jobs: [] })],
  ['have another kind', (call) => Object.assign(call, { kind: 'other' })],
  ['give a job another row', ({ job }) => Object.defineProperty(job, 'row', { value: {} })],
  ['change metadata', ({ job }) => Object.assign(job.metadata, { user: 8 })],
  ['change what is in metadata', ({ job }) => Object(job.metadata.of).push(2)],
])('a middleware cannot %s', async (_, change) => {
  const { rowlock, statements } = client([
    (call, next) => {
      change(call);
      return next();
    },
  ]);
  const jobs = [1, 2].map((n) => ({ payload: { n }, metadata: { of: [n] } }));
  await expect(rowlock.enqueueMany(work, jobs)).rejects.toMatchObject({ code: 'ROWLOCK_PLUGIN' });
  expect(statements).toEqual([]);
});

test('what a middleware adds is frozen too, and what it was given stays its own', async () => {
  const more = { of: [1] };
  const { rowlock, written } = client([
    ({ job }, next) => {
      job.addMetadata(more);
      expect(() => Object(job.metadata.of).push(2)).toThrow(TypeError);
      more.of.push(3);
      return next();
    },
  ]);
  const metadata = { by: { name: 'ann' } };
  await rowlock.enqueue(work, { payload: { n: 1 }, metadata });
  metadata.by.name = 'bob';
  expect(written()).toEqual([{ payload: { n: 1 }, metadata: { by: { name: 'ann' }, of: [1] } }]);
});

test('a middleware cannot give the outcomes to other jobs', async () => {
  const { rowlock } = client([
    async (_, next) => {
      const outcomes = await next();
      Object(outcomes).reverse();
    },
  ]);
  const enqueued = await rowlock.enqueueMany(work, [{ payload: { n: 1 } }, { payload: { n: 2 } }]);
  expect(enqueued.map(({ publicId }) => publicId)).toEqual(['job 0', 'job 1']);
});
