import { Controller, Get } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { Test } from '@nestjs/testing';
import { Rowlock } from '@rowlock/core';
import { memory } from '@rowlock/driver-memory';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { JobHandler, RowlockModule } from '../src/index.js';
import { RowlockHealthIndicator } from '../src/terminus.js';
import { WORKER } from '../src/worker-token.js';

@JobHandler({ kind: 'work', payload: z.null() })
class Work {
  run(): void {}
}

@Controller('health')
class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly rowlock: RowlockHealthIndicator,
  ) {}

  @Get('live')
  @HealthCheck()
  live() {
    return this.health.check([async () => this.rowlock.isLive('jobs')]);
  }

  @Get('ready')
  @HealthCheck()
  ready() {
    return this.health.check([() => this.rowlock.isReady('jobs')]);
  }
}

test('Terminus shows what the health check of telemetry says', async () => {
  const root = {
    imports: [RowlockModule.forRoot({ driver: memory(), worker: { name: 'w' } }), TerminusModule],
    controllers: [HealthController],
    providers: [Work, RowlockHealthIndicator],
  };
  const app = (await Test.createTestingModule(root).compile()).createNestApplication({ logger: false });
  onTestFinished(() => app.close());
  const rowlock = app.get(Rowlock);
  await rowlock.migrate();
  const isReady = () => app.get(RowlockHealthIndicator).isReady('jobs');
  expect(await isReady()).toEqual({
    jobs: { status: 'down', reasons: ['The worker w has not started.'] },
  });
  await app.listen(0);
  const get = async (path: string) => {
    const response = await fetch(`${await app.getUrl()}/health/${path}`);
    return [response.status, Object(await response.json()).details];
  };
  expect(await get('ready')).toEqual([200, { jobs: { status: 'up' } }]);
  expect(await get('live')).toEqual([200, { jobs: { status: 'up' } }]);

  await app.get(WORKER).stop();
  const reasons = ['The worker has stopped, and does not start again.'];
  expect(await get('live')).toEqual([503, { jobs: { status: 'down', reasons } }]);
  expect(await get('ready')).toEqual([503, { jobs: { status: 'down', reasons } }]);
});
