import { propagation, trace } from '@opentelemetry/api';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { fail } from '@rowlock/core';
import { defineHandler } from '@rowlock/driver-memory';
import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type OpenTelemetryOptions, openTelemetry } from '../src/index.js';
import { settled, stage } from './stage.js';
import './traced.js';

const payload = z.object({});
const CALLERS = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const broken = vi.fn((): never => {
  throw new Error('The telemetry is broken.');
});
afterEach(() => void vi.restoreAllMocks());

/** Each job has one run, which ends as its handler says, whatever the telemetry of the application throws. */
async function isNoHarm(options: OpenTelemetryOptions): Promise<void> {
  broken.mockClear();
  const ran = vi.fn();
  const Work = defineHandler({ kind: 'work', payload, run: () => ran() });
  const Fails = defineHandler({ kind: 'fails', payload, run: () => fail(new Error('not mine')) });
  const { rowlock, worker } = await stage([openTelemetry(options)], [Work, Fails]);
  const one = await rowlock.enqueue(Work, { payload: {} });
  const called = await rowlock.enqueue(Work, { payload: {}, metadata: { traceparent: CALLERS } });
  const failed = await rowlock.enqueue(Fails, { payload: {} });
  const done = settled(worker, 3);
  await worker.start();
  await done;
  for (const { publicId } of [one, called])
    expect(await rowlock.find(publicId)).toMatchObject({ status: 'complete', attempt: 1 });
  const error = { message: 'not mine' };
  expect(await rowlock.find(failed.publicId)).toMatchObject({ status: 'error', attempt: 1, error });
  expect(ran).toHaveBeenCalledTimes(2);
  expect(broken.mock.calls.length).toBeGreaterThanOrEqual(2);
}

test.each(['onStart', 'onEnd'] as const)('a span processor that throws %s is no harm to jobs', (when) => {
  const none = async (): Promise<void> => {};
  const processor = { onStart() {}, onEnd() {}, forceFlush: none, shutdown: none, [when]: broken };
  return isNoHarm({ tracerProvider: new TracerProvider({ spanProcessors: [processor] }) });
});

test('a propagator, and spans, that throw are no harm to jobs', async () => {
  const inject = vi.spyOn(propagation, 'inject').mockImplementation(broken);
  const extract = vi.spyOn(propagation, 'extract').mockImplementation(broken);
  const span = trace.getTracer('application').startSpan('broken');
  for (const name of ['setAttribute', 'setStatus', 'recordException', 'isRecording', 'end'] as const)
    vi.spyOn(span, name).mockImplementation(broken);
  await isNoHarm({
    tracerProvider: { getTracer: () => ({ startSpan: () => span, startActiveSpan: broken }) },
  });
  for (const each of [inject, extract, span.end, span.setAttribute]) expect(each).toHaveBeenCalled();
});

test('a span that throws when its handler is left behind is ended, and no listener of the worker throws', async () => {
  let end = (): void => {};
  const run = () => new Promise<void>((resolve) => (end = resolve));
  const Work = defineHandler({ kind: 'work', payload, attempts: 1, timeout: 1, run });
  const span = trace.getTracer('application').startSpan('broken');
  vi.spyOn(span, 'setStatus').mockImplementation(broken);
  const ended = vi.spyOn(span, 'end');
  const startSpan = () => span;
  const tracerProvider = { getTracer: () => ({ startSpan, startActiveSpan: broken }) };
  const { rowlock, worker } = await stage([openTelemetry({ tracerProvider })], [Work]);
  await rowlock.enqueue(Work, { payload: {} });
  ended.mockClear();
  const whenLeft = new Promise<number>((tell) => {
    // The plugin's listener was there before.
    worker.on('start', () => worker.on('leftBehind', () => tell(ended.mock.calls.length)));
  });
  const done = settled(worker);
  await worker.start();
  expect(await whenLeft).toBe(1);
  await done;
  end();
});

test('what a handler throws may refuse to be looked at', async () => {
  const refusing = new Proxy({}, { get: broken, getPrototypeOf: broken });
  const Work = defineHandler({
    kind: 'work',
    payload,
    attempts: 1,
    run() {
      throw refusing;
    },
  });
  const { rowlock, worker } = await stage([openTelemetry()], [Work]);
  const { publicId } = await rowlock.enqueue(Work, { payload: {} });
  const done = settled(worker);
  await worker.start();
  await done;
  const { error } = (await rowlock.find(publicId)) ?? {};
  expect(error?.message).not.toContain('open-telemetry');
});

test('instruments that throw are no harm to jobs', () => {
  const meterProvider = new MeterProvider();
  const meter = meterProvider.getMeter('broken');
  const counter = { ...meter.createCounter('counter'), add: broken };
  const histogram = { ...meter.createHistogram('histogram'), record: broken };
  vi.spyOn(meterProvider, 'getMeter').mockReturnValue(
    Object.assign(meter, { createCounter: () => counter, createHistogram: () => histogram }),
  );
  return isNoHarm({ meterProvider });
});

test('a meter provider that throws is no harm to jobs, and workers start', () =>
  isNoHarm({ meterProvider: { getMeter: broken } }));
