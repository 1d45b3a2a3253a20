import { type CanActivate, Controller, type ExecutionContext, Get, Header, UseGuards } from '@nestjs/common';
import { HealthCheck, HealthCheckService } from '@nestjs/terminus';
import { Rowlock } from '@rowlock/core';
import { DashboardController } from '@rowlock/nestjs/dashboard';
import { RowlockHealthIndicator } from '@rowlock/nestjs/terminus';
import { Prometheus, prometheus } from '@rowlock/telemetry';
import { isStaff } from '../shared/requests.js';

/** The plugin that counts, which the Rowlock has too. */
export const metrics = prometheus();

@Controller()
export class OperationsController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly jobs: RowlockHealthIndicator,
    rowlock: Rowlock,
  ) {
    metrics.watch(rowlock);
  }

  @Get('metrics')
  @Header('content-type', Prometheus.contentType)
  metrics() {
    return metrics.text();
  }

  @Get('health/ready')
  @HealthCheck()
  ready() {
    return this.health.check([() => this.jobs.isReady('jobs')]);
  }
}

class StaffOnly implements CanActivate {
  canActivate(context: ExecutionContext) {
    return isStaff(context.switchToHttp().getRequest().headers.authorization);
  }
}

@Controller('rowlock')
@UseGuards(StaffOnly)
export class JobsController extends DashboardController {
  access() {
    return 'operator' as const;
  }
}
