import { type DynamicModule, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { Rowlock } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';
import { RowlockModule } from '../../src/index.js';
import { RowlockHealthIndicator } from '../../src/terminus.js';
import { ShopDatabase } from './database.js';
import { FailedOrders, Mails, OrderBiller, OrderConfirmer, Reports } from './handlers.js';
import { HealthController, JobsController, Metrics, MetricsController, OrdersController } from './web.js';

@Injectable()
class Migrations implements OnModuleInit {
  constructor(
    private readonly rowlock: Rowlock,
    private readonly database: ShopDatabase,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.database.createTables();
    await this.rowlock.migrate();
  }
}

@Module({ providers: [Metrics], exports: [Metrics] })
class MetricsModule {}

@Module({ providers: [OrderConfirmer, OrderBiller, FailedOrders, Reports, Mails] })
class OrderJobsModule {}

/** A shop on MySQL, whose web server and worker are one process. */
export function shop(url: string): DynamicModule {
  @Module({
    imports: [
      RowlockModule.forRootAsync({
        imports: [MetricsModule],
        inject: [Metrics],
        useFactory: ({ plugin }: Metrics) => ({
          driver: mysql({ uri: url }),
          plugins: [plugin],
          defaults: { timeout: '1m' },
          worker: { concurrency: 3, drain: '10s' },
        }),
      }),
      MetricsModule,
      OrderJobsModule,
      TerminusModule,
    ],
    controllers: [OrdersController, MetricsController, JobsController, HealthController],
    providers: [
      { provide: ShopDatabase, useFactory: () => new ShopDatabase(url) },
      Migrations,
      RowlockHealthIndicator,
    ],
  })
  class ShopModule {}

  return { module: ShopModule };
}
