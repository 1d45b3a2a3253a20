import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { defineHandler } from '@rowlock/driver-memory';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { openTelemetry } from '../src/index.js';
import { METRICS } from '../src/metrics/catalogue.js';
import { settled, stage } from './stage.js';

const payload = z.object({});
const Work = defineHandler({ kind: 'work', payload, run: () => {} });
const work = { queue: 'default', kind: 'work' };

let exporter: InMemoryMetricExporter;
let reader: PeriodicExportingMetricReader;
let meterProvider: MeterProvider;
beforeEach(() => {
  exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  meterProvider = new MeterProvider({ readers: [reader] });
});
afterEach(() => meterProvider.shutdown());

/** The data points of the last collection, by the names of the metrics. */
async function collected() {
  exporter.reset();
  await reader.forceFlush();
  const [resource] = exporter.getMetrics();
  const metrics = resource?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
  return new Map(metrics.map((metric) => [metric.descriptor.name, metric]));
}

test('counters and histograms have what happened, with the units and bounds of the catalogue', async () => {
  const { rowlock, worker } = await stage([openTelemetry({ meterProvider })], [Work]);
  await rowlock.enqueue(Work, { payload: {} });
  const done = settled(worker);
  await worker.start();
  await done;
  const found = await collected();
  expect(found.get('rowlock.jobs.enqueued')?.dataPoints).toMatchObject([
    { attributes: { ...work, outcome: 'enqueued' }, value: 1 },
  ]);
  expect(found.get('rowlock.jobs.settled')?.dataPoints).toMatchObject([
    { attributes: { ...work, outcome: 'complete' }, value: 1 },
  ]);
  for (const name of ['rowlock.job.waiting', 'rowlock.run.duration']) {
    expect(found.get(name)?.descriptor.unit).toBe('s');
    expect(found.get(name)?.dataPoints).toMatchObject([
      {
        attributes: work,
        value: { count: 1, buckets: { boundaries: expect.arrayContaining([0.005, 600]) } },
      },
    ]);
  }
});

test('gauges of the process follow its workers', async () => {
  const { worker } = await stage([openTelemetry({ meterProvider })], [Work]);
  await worker.start();
  expect((await collected()).get('rowlock.worker.concurrency')?.dataPoints).toMatchObject([{ value: 5 }]);
  await worker.stop();
  expect((await collected()).get('rowlock.worker.concurrency')?.dataPoints).toMatchObject([{ value: 0 }]);
});

test('gauges of the database are read while they are watched', async () => {
  const plugin = openTelemetry({ meterProvider });
  const { driver, rowlock, worker } = await stage([plugin], [Work]);
  await worker.start();
  const looks = vi.spyOn(driver.admission, 'pauses');
  const end = plugin.watch(rowlock);
  const found = await collected();
  expect(found.get('rowlock.database.up')?.dataPoints).toMatchObject([{ value: 1 }]);
  expect(found.get('rowlock.workers.alive')?.dataPoints).toMatchObject([
    { attributes: { queue: 'default' }, value: 1 },
  ]);
  expect(looks).toHaveBeenCalledTimes(1);
  end();
  // The answers count for 5 s.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 6_000);
  await collected();
  clock.mockRestore();
  expect(looks).toHaveBeenCalledTimes(1);
});

test('each metric is of the catalogue', async () => {
  const plugin = openTelemetry({ meterProvider });
  const { rowlock, worker } = await stage([plugin], [Work]);
  plugin.watch(rowlock);
  await rowlock.enqueue(Work, { payload: {} });
  await rowlock.jobs.pause({ queue: 'other' });
  const done = settled(worker);
  await worker.start();
  await done;
  const names = METRICS.map(({ name }) => name);
  const found = [...(await collected()).keys()];
  expect(found.length).toBeGreaterThan(9);
  for (const name of found) expect(names).toContain(name);
});
