import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { mysql } from '@rowlock/driver-mysql';
import { RowlockModule } from '@rowlock/nestjs';
import { RowlockHealthIndicator } from '@rowlock/nestjs/terminus';
import { orderChanges } from '../shared/kinds.js';
import { Mails } from '../shared/mails.js';
import { Database } from './database.js';
import * as handlers from './handlers.js';
import { JobsController, metrics, OperationsController } from './operations.js';
import { ShopController } from './routes.js';

const uri = process.env.DATABASE_URL ?? '';

/** A shop on MySQL, whose web server and worker are one process. */
@Module({
  imports: [
    RowlockModule.forRoot({
      driver: mysql({ uri }),
      captures: [orderChanges],
      plugins: [metrics],
      worker: { concurrency: 5, drain: '15s' },
    }),
    TerminusModule,
  ],
  controllers: [ShopController, OperationsController, JobsController],
  providers: [
    ...Object.values(handlers),
    { provide: Database, useFactory: () => new Database(uri) },
    RowlockHealthIndicator,
    Mails,
  ],
})
export class ShopModule {}
