import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  Param,
  Post,
  UseGuards,
} from '@nestjs/common';
import { HealthCheck, HealthCheckService } from '@nestjs/terminus';
import { fromKysely } from '@rowlock/adapters/kysely';
import { Rowlock } from '@rowlock/core';
import { type Prometheus, prometheus } from '@rowlock/telemetry';
import { DashboardController } from '../../src/dashboard.js';
import { RowlockHealthIndicator } from '../../src/terminus.js';
import { ShopDatabase } from './database.js';
import { ConfirmOrder } from './jobs.js';

@Controller('orders')
export class OrdersController {
  constructor(
    private readonly database: ShopDatabase,
    private readonly rowlock: Rowlock,
  ) {}

  /** The orders and their jobs are there together, or none of them. */
  @Post(':customer')
  async create(@Param('customer') customer: string, @Body() { count }: { count: number }) {
    return this.database.transaction().execute(async (trx) => {
      const orders: number[] = [];
      for (let each = 0; each < count; each++) {
        const row = { customer, state: 'new' };
        const { insertId } = await trx.insertInto('orders').values(row).executeTakeFirstOrThrow();
        orders.push(Number(insertId));
      }
      const jobs = orders.map((order) => ({ key: customer, payload: { order } }));
      await this.rowlock.enqueueMany(ConfirmOrder, jobs, { tx: fromKysely(trx) });
      if (count > 10) throw new Error('That many orders are a mistake.');
      return { orders };
    });
  }
}

/** The plugin that counts, injected where its numbers are shown. */
@Injectable()
export class Metrics {
  readonly plugin: Prometheus = prometheus();
}

@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly metrics: Metrics,
    rowlock: Rowlock,
  ) {
    metrics.plugin.watch(rowlock);
  }

  @Get()
  text(): Promise<string> {
    return this.metrics.plugin.text();
  }
}

@Injectable()
class StaffOnly implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return context.switchToHttp().getRequest().headers.authorization === 'staff';
  }
}

@Controller('rowlock')
@UseGuards(StaffOnly)
export class JobsController extends DashboardController {
  access() {
    return 'operator' as const;
  }
}

@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly rowlock: RowlockHealthIndicator,
  ) {}

  @Get('ready')
  @HealthCheck()
  ready() {
    return this.health.check([() => this.rowlock.isReady('jobs')]);
  }
}
