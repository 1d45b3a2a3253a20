import { context, ProxyTracerProvider, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { complete, fail, retry } from '@rowlock/core';
import { defineHandler } from '@rowlock/driver-memory';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { openTelemetry } from '../src/index.js';
import { settled, stage } from './stage.js';
import { span, spans } from './traced.js';

const payload = z.object({});
const tracer = trace.getTracer('application');
const CALLERS = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const idOf = (name: string) => span(name).spanContext().spanId;

test('a request, its call, the run, what the handler does and the settlement are one trace', async () => {
  const Work = defineHandler({
    kind: 'work',
    queue: 'mail',
    payload,
    run: () => tracer.startActiveSpan('inside', (own) => own.end()),
  });
  const { rowlock, worker } = await stage([openTelemetry()], [Work]);
  const done = settled(worker);
  await worker.start();
  const { publicId } = await tracer.startActiveSpan('request', async (own) => {
    const enqueued = await rowlock.enqueue(Work, { key: 'ada', payload: {} });
    own.end();
    return enqueued;
  });
  await done;

  expect(span('enqueue work').parentSpanContext?.spanId).toBe(idOf('request'));
  expect(span('run work').parentSpanContext?.spanId).toBe(idOf('enqueue work'));
  expect(span('inside').parentSpanContext?.spanId).toBe(idOf('run work'));
  expect(span('settle work').parentSpanContext?.spanId).toBe(idOf('run work'));
  expect(new Set(spans().map((each) => each.spanContext().traceId)).size).toBe(1);

  const common = {
    'messaging.system': 'rowlock',
    'messaging.destination.name': 'mail',
    'messaging.message.id': publicId,
    'rowlock.kind': 'work',
  };
  expect(span('enqueue work').kind).toBe(SpanKind.PRODUCER);
  expect(span('enqueue work').attributes).toEqual({
    ...common,
    'messaging.operation.name': 'enqueue',
    'messaging.operation.type': 'send',
    'rowlock.outcome': 'enqueued',
  });
  expect(span('run work').kind).toBe(SpanKind.CONSUMER);
  expect(span('run work').attributes).toEqual({
    ...common,
    'messaging.operation.name': 'run',
    'messaging.operation.type': 'process',
    'rowlock.outcome': 'complete',
    'rowlock.run_id': expect.any(String),
    'rowlock.attempt': 1,
    'rowlock.max_attempts': 5,
    'rowlock.waiting_ms': expect.any(Number),
  });
  expect(span('run work').links.map((link) => link.context.spanId)).toEqual([idOf('enqueue work')]);
  expect(span('settle work').kind).toBe(SpanKind.CLIENT);
  expect(span('settle work').attributes).toEqual({
    ...common,
    'messaging.operation.name': 'settle',
    'messaging.operation.type': 'settle',
    'rowlock.outcome': 'complete',
  });
  for (const each of spans()) expect(each.status).toEqual({ code: SpanStatusCode.UNSET });
});

test("a job that a handler enqueues is in the trace of the handler's run", async () => {
  const Second = defineHandler({ kind: 'second', payload, run: () => {} });
  const First = defineHandler({
    kind: 'first',
    payload,
    run: ({ enqueue }) => enqueue(Second, { payload: {} }).then(() => {}),
  });
  const { rowlock, worker } = await stage([openTelemetry()], [First, Second]);
  const done = settled(worker, 2);
  await worker.start();
  await rowlock.enqueue(First, { payload: {} });
  await done;
  expect(span('enqueue second').parentSpanContext?.spanId).toBe(idOf('run first'));
  expect(span('run second').spanContext().traceId).toBe(span('enqueue first').spanContext().traceId);
});

describe('a run of several jobs', () => {
  test('is a trace of its own, with a link to the call of each', async () => {
    const Work = defineHandler({ kind: 'work', payload, group: true, run: () => {} });
    const { rowlock, worker } = await stage([openTelemetry()], [Work]);
    const calls = ['first', 'second'].map((name) =>
      tracer.startActiveSpan(name, async (own) => {
        const enqueued = await rowlock.enqueue(Work, { key: 'ada', payload: {} });
        own.end();
        return enqueued;
      }),
    );
    const jobs = await Promise.all(calls);
    const done = settled(worker, 2);
    await worker.start();
    await done;

    const run = span('run work');
    expect(run.parentSpanContext).toBeUndefined();
    expect(run.attributes).toMatchObject({ 'messaging.batch.message_count': 2 });
    expect(run.attributes).not.toHaveProperty('messaging.message.id');
    const producers = spans().filter(({ name }) => name === 'enqueue work');
    const expected = producers.map((each) => ({
      id: each.attributes['messaging.message.id'],
      span: each.spanContext().spanId,
    }));
    expect(
      run.links.map((link) => ({
        id: link.attributes?.['messaging.message.id'],
        span: link.context.spanId,
      })),
    ).toEqual(jobs.map(({ publicId }) => expected.find(({ id }) => id === publicId)));
    expect(span('settle work').attributes).toMatchObject({ 'messaging.batch.message_count': 2 });
  });

  test('in which jobs end differently has the outcome mixed, and is a failure', async () => {
    const Work = defineHandler({
      kind: 'work',
      payload,
      group: true,
      run: ({ jobs: [first, ...rest] }) =>
        new Map([
          [first.publicId, fail(new RangeError('too long'))] as const,
          ...rest.map(({ publicId }) => [publicId, complete()] as const),
        ]),
    });
    const { rowlock, worker } = await stage([openTelemetry()], [Work]);
    await rowlock.enqueueMany(
      Work,
      [1, 2].map(() => ({ key: 'ada', payload: {} })),
    );
    const done = settled(worker, 2);
    await worker.start();
    await done;
    expect(span('run work').attributes).toMatchObject({
      'rowlock.outcome': 'mixed',
      'error.type': 'RangeError',
    });
    expect(span('settle work').attributes).toMatchObject({ 'rowlock.outcome': 'mixed' });
  });
});

test('each run of a batch is in the trace of its own job', async () => {
  const Work = defineHandler({ kind: 'work', payload, batch: 10, run: () => {} });
  const { rowlock, worker } = await stage([openTelemetry()], [Work]);
  await rowlock.enqueue(Work, { payload: {} });
  await rowlock.enqueue(Work, { payload: {} });
  const done = settled(worker, 2);
  await worker.start();
  await done;
  for (const producer of spans().filter(({ name }) => name === 'enqueue work')) {
    const own = spans().filter((each) => each.spanContext().traceId === producer.spanContext().traceId);
    expect(own.map(({ name }) => name).toSorted()).toEqual(['enqueue work', 'run work', 'settle work']);
    expect(new Set(own.map(({ attributes }) => attributes['messaging.message.id'])).size).toBe(1);
  }
});

test("a caller's own context in the metadata stays, and the call has a link to it", async () => {
  const Work = defineHandler({ kind: 'work', payload, run: () => {} });
  const { rowlock, worker } = await stage([openTelemetry()], [Work]);
  const metadata = { traceparent: CALLERS, tenant: 'acme' };
  const { publicId } = await rowlock.enqueue(Work, { payload: {}, metadata });
  const done = settled(worker);
  await worker.start();
  await done;
  expect(await rowlock.find(publicId)).toMatchObject({ metadata });
  const [link] = span('enqueue work').links;
  expect(link?.context).toMatchObject({ spanId: 'b7ad6b7169203331' });
  expect(span('run work').parentSpanContext?.spanId).toBe('b7ad6b7169203331');
});

test.each([{ traceparent: 7 }, { traceparent: 'no such thing' }, {}])(
  'a job with the metadata %j runs',
  async (metadata) => {
    const Work = defineHandler({ kind: 'work', payload, run: () => {} });
    const { driver, rowlock, worker } = await stage([openTelemetry()], [Work]);
    // As SQL enqueues it, or a schedule.
    const [{ publicId } = { publicId: '' }] = await driver.jobs.enqueue([
      {
        queue: 'default',
        kind: 'work',
        key: null,
        payload: {},
        priority: 0,
        available: { inMs: 0 },
        maxAttempts: 5,
        unique: null,
        metadata,
        limits: '',
        createdBy: 'sql',
      },
    ]);
    const done = settled(worker);
    await worker.start();
    await done;
    expect(await rowlock.find(publicId)).toMatchObject({ status: 'complete', metadata });
    expect(span('run work').links).toEqual([]);
    expect(span('run work').parentSpanContext).toBeUndefined();
  },
);

test('metadata that is full has no room for a context, and the job is enqueued', async () => {
  const Work = defineHandler({ kind: 'work', payload, run: () => {} });
  const { rowlock } = await stage([openTelemetry()], [Work]);
  const metadata = { long: 'x'.repeat(65_500) };
  const { publicId } = await rowlock.enqueue(Work, { payload: {}, metadata });
  expect((await rowlock.find(publicId))?.metadata).toEqual(metadata);
});

describe('a failure', () => {
  test.each([
    [
      'thrown',
      (): never => {
        throw Object.assign(new Error('busy'), { code: 'E_BUSY' });
      },
      'retry',
      'E_BUSY',
      'busy',
    ],
    [
      'a value that is thrown',
      (): never => {
        throw 'busy';
      },
      'retry',
      '_OTHER',
      'busy',
    ],
    ['a retry', () => retry(new TypeError('busy')), 'retry', 'TypeError', 'busy'],
    ['a fail', () => fail({ why: 'busy' }), 'fail', '_OTHER', 'A value that is no error.'],
  ] as const)('that is %s is recorded', async (_, run, outcome, type, message) => {
    const Work = defineHandler({ kind: 'work', payload, run });
    const { rowlock, worker } = await stage([openTelemetry()], [Work]);
    await rowlock.enqueue(Work, { payload: {} });
    const done = settled(worker);
    await worker.start();
    await done;
    const found = span('run work');
    expect(found.status).toEqual({ code: SpanStatusCode.ERROR, message });
    expect(found.attributes).toMatchObject({ 'rowlock.outcome': outcome, 'error.type': type });
    expect(found.events.map(({ name }) => name)).toEqual(['exception']);
    expect(span('settle work').attributes).toMatchObject({ 'rowlock.outcome': outcome });
  });

  test('of the last attempt is settled as a fail', async () => {
    const Work = defineHandler({ kind: 'work', payload, attempts: 1, run: () => retry('busy') });
    const { rowlock, worker } = await stage([openTelemetry()], [Work]);
    await rowlock.enqueue(Work, { payload: {} });
    const done = settled(worker);
    await worker.start();
    await done;
    expect(span('run work').attributes).toMatchObject({ 'rowlock.outcome': 'retry' });
    expect(span('settle work').attributes).toMatchObject({ 'rowlock.outcome': 'fail' });
  });

  test('of the call is recorded, and thrown', async () => {
    const Work = defineHandler({ kind: 'work', payload, run: () => {} });
    const { driver, rowlock } = await stage([openTelemetry()], [Work]);
    driver.disconnect();
    const metadata = { traceparent: CALLERS };
    const broken = Object.assign(new Error('away'), { code: 'E_AWAY' });
    driver.jobs.enqueue = () => Promise.reject(broken);
    await expect(rowlock.enqueue(Work, { payload: {}, metadata })).rejects.toBe(broken);
    expect(span('enqueue work').attributes).toMatchObject({ 'error.type': 'E_AWAY' });
  });
});

test('each attempt is a run of its own in the trace', async () => {
  const Work = defineHandler({
    kind: 'work',
    payload,
    run: ({ job }) => (job.attempt === 1 ? retry('busy', { delay: 0 }) : complete()),
  });
  const { rowlock, worker } = await stage([openTelemetry()], [Work]);
  await rowlock.enqueue(Work, { payload: {} });
  const done = settled(worker, 2);
  await worker.start();
  await done;
  const runs = spans().filter(({ name }) => name === 'run work');
  expect(runs.map(({ attributes }) => attributes['rowlock.attempt'])).toEqual([1, 2]);
  for (const run of runs) expect(run.parentSpanContext?.spanId).toBe(idOf('enqueue work'));
});

test('traces are not continued, and keys are shown, where the options say so', async () => {
  const Work = defineHandler({ kind: 'work', payload, run: () => {} });
  const plugin = openTelemetry({ continueTraces: false, keys: true });
  const { rowlock, worker } = await stage([plugin], [Work]);
  await rowlock.enqueue(Work, { key: 'ada', payload: {} });
  const done = settled(worker);
  await worker.start();
  await done;
  expect(span('run work').parentSpanContext).toBeUndefined();
  expect(span('run work').links.map((link) => link.context.spanId)).toEqual([idOf('enqueue work')]);
  for (const name of ['enqueue work', 'run work'])
    expect(span(name).attributes).toMatchObject({ 'rowlock.key': 'ada' });
});

test("a middleware's own span is the parent of the run's", async () => {
  const Work = defineHandler({ kind: 'work', payload, run: () => {} });
  const outer = {
    name: 'outer',
    handlers: [],
    middleware: {
      run: async <Result>(_: unknown, next: () => Promise<Result>): Promise<Result> => {
        const own = tracer.startSpan('outer');
        try {
          return await context.with(trace.setSpan(context.active(), own), next);
        } finally {
          own.end();
        }
      },
    },
  };
  const { rowlock, worker } = await stage([outer, openTelemetry()], [Work]);
  await rowlock.enqueue(Work, { payload: {} });
  const done = settled(worker);
  await worker.start();
  await done;
  expect(span('run work').parentSpanContext?.spanId).toBe(idOf('outer'));
});

test('jobs that a worker gives back when it stops have a release in the trace', async () => {
  let began = (): void => {};
  const running = new Promise<void>((resolve) => {
    began = resolve;
  });
  const Work = defineHandler({
    kind: 'work',
    payload,
    run: ({ signal }) =>
      new Promise<void>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        began();
      }),
  });
  const { rowlock, worker } = await stage([openTelemetry()], [Work]);
  await rowlock.enqueue(Work, { payload: {} });
  await worker.start();
  await running;
  await worker.stop({ drain: 0 });
  expect(span('release work').attributes).toMatchObject({
    'messaging.operation.name': 'release',
    'messaging.operation.type': 'settle',
    'rowlock.outcome': 'release',
  });
  expect(span('release work').parentSpanContext?.spanId).toBe(idOf('run work'));
});

test('a run that loses its claim has a failed settlement', async () => {
  let began = (): void => {};
  const running = new Promise<void>((resolve) => {
    began = resolve;
  });
  let runs = 0;
  const Work = defineHandler({
    kind: 'work',
    payload,
    run: ({ signal }) => {
      runs += 1;
      if (runs > 1) return;
      began();
      return new Promise<void>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  });
  const { driver, rowlock, worker } = await stage([openTelemetry()], [Work]);
  await rowlock.enqueue(Work, { payload: {} });
  const done = settled(worker);
  await worker.start();
  await running;
  driver.disconnect();
  await done;
  const [lost, again] = spans().filter(({ name }) => name === 'settle work');
  expect(lost?.status.code).toBe(SpanStatusCode.ERROR);
  expect(lost?.attributes).toMatchObject({ 'error.type': 'ROWLOCK_CLAIM_LOST' });
  expect(again?.attributes).toMatchObject({ 'rowlock.outcome': 'complete' });
});

test('without a tracer of the application nothing is carried, and jobs run', async () => {
  const tracerProvider = new ProxyTracerProvider();
  const Work = defineHandler({ kind: 'work', payload, run: () => {} });
  const { rowlock, worker } = await stage([openTelemetry({ tracerProvider })], [Work]);
  const { publicId } = await rowlock.enqueue(Work, { payload: {} });
  const done = settled(worker);
  await worker.start();
  await done;
  expect(await rowlock.find(publicId)).toMatchObject({ status: 'complete', metadata: {} });
});

test('the span of a handler that is left behind ends then, as a failure', async () => {
  let end = (): void => {};
  const Work = defineHandler({
    kind: 'work',
    payload,
    attempts: 1,
    timeout: 1,
    run: () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  });
  const { rowlock, worker } = await stage([openTelemetry()], [Work]);
  await rowlock.enqueue(Work, { payload: {} });
  const done = settled(worker);
  await worker.start();
  await done;
  const message = 'The handler was left behind.';
  expect(span('run work').status).toEqual({ code: SpanStatusCode.ERROR, message });
  expect(span('settle work').attributes).toMatchObject({ 'rowlock.outcome': 'fail' });
  end();
});

test('a step of the wall clock during a run moves no span of it', async () => {
  const Work = defineHandler({
    kind: 'work',
    payload,
    run: () => {
      const real = Date.now.bind(Date);
      vi.spyOn(Date, 'now').mockImplementation(() => real() - 90_000);
      throw new Error('no');
    },
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const { rowlock, worker } = await stage([openTelemetry()], [Work]);
  await rowlock.enqueue(Work, { payload: {} });
  const done = settled(worker);
  await worker.start();
  await done;
  const ms = ([seconds, nanoseconds]: readonly [number, number]) => seconds * 1_000 + nanoseconds / 1e6;
  const [run, settle] = [span('run work'), span('settle work')];
  for (const each of [run, settle]) {
    expect(ms(each.duration)).toBeGreaterThanOrEqual(0);
    expect(ms(each.duration)).toBeLessThan(60_000);
  }
  expect(ms(settle.startTime)).toBeCloseTo(ms(run.endTime), 1);
  const [thrown] = run.events;
  expect(ms(thrown?.time ?? [0, 0])).toBeGreaterThanOrEqual(ms(run.startTime));
  expect(ms(thrown?.time ?? [0, 0])).toBeLessThanOrEqual(ms(run.endTime));
});

describe('a trace that enqueues jobs is not continued by', () => {
  /** The spans of runs, those in the trace of the request, and those with a link to a span of it. */
  const runsOf = (request: string) => {
    const runs = spans().filter(({ name }) => name.startsWith('run '));
    const { traceId } = span(request).spanContext();
    return {
      all: runs.length,
      inside: runs.filter((each) => each.spanContext().traceId === traceId).length,
      linked: runs.filter(({ links }) => links.some((link) => link.context.traceId === traceId)).length,
    };
  };
  const Work = defineHandler({ kind: 'work', payload, run: () => {} });
  const request = async (work: () => Promise<unknown>): Promise<void> =>
    tracer.startActiveSpan('request', async (own) => {
      await work();
      own.end();
    });

  test('the jobs of a bulk call', async () => {
    const { rowlock, worker } = await stage([openTelemetry()], [Work]);
    await request(() => rowlock.enqueueMany(Work, [{ payload: {} }, { payload: {} }]));
    const done = settled(worker, 2);
    await worker.start();
    await done;
    expect(runsOf('request')).toEqual({ all: 2, inside: 0, linked: 2 });
  });

  test('more than 100 jobs, one by one', async () => {
    const { rowlock, worker } = await stage([openTelemetry()], [Work]);
    await request(async () => {
      for (let n = 0; n < 130; n++) await rowlock.enqueue(Work, { payload: {} });
    });
    const done = settled(worker, 130);
    await worker.start();
    await done;
    expect(runsOf('request')).toEqual({ all: 130, inside: 100, linked: 130 });
  });

  test('jobs that their own kind enqueued', async () => {
    let left = 3;
    const Again = defineHandler({
      kind: 'again',
      payload,
      run: async ({ enqueue }) => {
        left -= 1;
        if (left > 0) await enqueue(Again, { payload: {} });
      },
    });
    const { rowlock, worker } = await stage([openTelemetry()], [Again]);
    const done = settled(worker, 3);
    await worker.start();
    await request(() => rowlock.enqueue(Again, { payload: {} }));
    await done;
    expect(runsOf('request')).toMatchObject({ all: 3, inside: 1 });
  });

  test('kinds that enqueue each other without an end', async () => {
    let left = 250;
    const ping = { kind: 'ping', payload };
    const Pong = defineHandler({
      kind: 'pong',
      payload,
      run: async ({ enqueue }) => void (await enqueue(ping, { payload: {} })),
    });
    const Ping = defineHandler({
      ...ping,
      run: async ({ enqueue }) => {
        left -= 2;
        if (left > 0) await enqueue(Pong, { payload: {} });
      },
    });
    const { rowlock, worker } = await stage([openTelemetry()], [Ping, Pong]);
    const done = settled(worker, 249);
    await worker.start();
    await request(() => rowlock.enqueue(Ping, { payload: {} }));
    await done;
    expect(runsOf('request')).toMatchObject({ inside: 100 });
  });

  test.each([-3_600_000, 3_600_000])('a run after a step of the wall clock, by %i ms', async (step) => {
    const { rowlock, worker } = await stage([openTelemetry()], [Work]);
    await request(() => rowlock.enqueue(Work, { payload: {} }));
    const real = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => real() + step);
    onTestFinished(() => void vi.restoreAllMocks());
    const done = settled(worker);
    await worker.start();
    await done;
    expect(runsOf('request')).toEqual({ all: 1, inside: 0, linked: 1 });
  });

  test('a run that is late, or comes after a redrive', async () => {
    let runs = 0;
    const Fails = defineHandler({
      kind: 'fails',
      payload,
      run: () => (++runs === 1 ? fail('no') : complete()),
    });
    const { rowlock, worker, database } = await stage([openTelemetry()], [Work, Fails]);
    await request(async () => {
      await rowlock.enqueue(Work, { payload: {}, delay: '2m' });
      const { publicId } = await rowlock.enqueue(Fails, { payload: {} });
      const failed = settled(worker);
      await worker.start();
      await failed;
      const again = settled(worker);
      await rowlock.redrive(publicId);
      await again;
    });
    const real = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => real() + 120_000);
    onTestFinished(() => void vi.restoreAllMocks());
    const late = settled(worker);
    database.clock.advance('2m');
    await late;
    expect(runsOf('request')).toEqual({ all: 3, inside: 1, linked: 3 });
  });
});

test('a run that was cancelled is no failure', async () => {
  const { promise: running, resolve: began } = Promise.withResolvers<void>();
  const Work = defineHandler({
    kind: 'work',
    payload,
    run: ({ signal }) =>
      new Promise<void>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        began();
      }),
  });
  const { rowlock, worker } = await stage([openTelemetry()], [Work]);
  const { publicId } = await rowlock.enqueue(Work, { payload: {} });
  const done = settled(worker);
  await worker.start();
  await running;
  await rowlock.cancel(publicId);
  await done;
  expect(span('run work').status).toEqual({ code: SpanStatusCode.UNSET });
  expect(span('run work').attributes).toMatchObject({ 'rowlock.outcome': 'abandon' });
});
