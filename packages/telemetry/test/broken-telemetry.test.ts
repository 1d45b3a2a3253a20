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
