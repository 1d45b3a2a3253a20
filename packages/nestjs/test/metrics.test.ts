import { Controller, Get, Header, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Rowlock } from '@rowlock/core';
import { memory } from '@rowlock/driver-memory';
import { Prometheus, prometheus } from '@rowlock/telemetry';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { JobHandler, RowlockModule } from '../src/index.js';

const Work = { kind: 'work', payload: z.null() };

@JobHandler(Work)
class Worker {
  run(): void {}
}

@Controller('metrics')
class MetricsController {
  constructor(
    private readonly metrics: Prometheus,
    rowlock: Rowlock,
  ) {
    metrics.watch(rowlock);
  }

  @Get()
  @Header('content-type', Prometheus.contentType)
  text() {
    return this.metrics.text();
  }
}

@Module({
  providers: [{ provide: Prometheus, useFactory: prometheus }],
  controllers: [MetricsController],
  exports: [Prometheus],
})
class MetricsModule {}

test('the plugin that counts is a provider, by its class', async () => {
  const module = RowlockModule.forRootAsync({
    imports: [MetricsModule],
    inject: [Prometheus],
    useFactory: (metrics: Prometheus) => ({ driver: memory(), plugins: [metrics] }),
  });
  const root = { imports: [module], providers: [Worker] };
  const app = (await Test.createTestingModule(root).compile()).createNestApplication({ logger: false });
  onTestFinished(() => app.close());
  const rowlock = app.get(Rowlock);
  await rowlock.migrate();
  await app.listen(0);
  const { publicId } = await rowlock.enqueue(Work, { payload: null });
  await rowlock.settled(publicId);
  const scrape = await fetch(`${await app.getUrl()}/metrics`);
  expect(scrape.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await scrape.text();
  expect(text).toMatch(/^rowlock_jobs_settled_total\{.*"work".*"complete".*\} 1$/m);
  expect(text).toContain('\nrowlock_database_up 1\n');
});
