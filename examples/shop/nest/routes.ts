import {
  BadRequestException,
  Body,
  ConflictException,
  Controller,
  Get,
  Headers,
  HttpCode,
  Param,
  Post,
} from '@nestjs/common';
import { fromKysely } from '@rowlock/adapters/kysely';
import { NotSettledError, Rowlock } from '@rowlock/core';
import type { z } from 'zod';
import { BillOrder, ReserveStock, WriteReport } from '../shared/kinds.js';
import { NewOrders } from '../shared/requests.js';
import { countOpen, Database } from './database.js';

@Controller()
export class ShopController {
  constructor(
    private readonly db: Database,
    private readonly rowlock: Rowlock,
  ) {}

  /** The orders and their jobs are there together, or none of them. */
  @Post('orders')
  async order(@Body({ schema: NewOrders }) { tenant, customer, products }: z.output<typeof NewOrders>) {
    await this.db.transaction().execute(async (trx) => {
      const jobs = [];
      for (const product of products) {
        const row = { tenant, customer, product, state: 'new' as const };
        const { insertId } = await trx.insertInto('orders').values(row).executeTakeFirstOrThrow();
        jobs.push({ key: customer, payload: { order: Number(insertId), tenant, customer, product } });
      }
      await this.rowlock.enqueueMany(ReserveStock, jobs, { tx: fromKysely(trx) });
      if ((await countOpen(trx, customer)) > 10)
        throw new ConflictException('No more than 10 orders may be open.');
    });
  }

  @Get('orders/:customer')
  orders(@Param('customer') customer: string) {
    return this.db.selectFrom('orders').selectAll().where('customer', '=', customer).orderBy('id').execute();
  }

  /** The provider calls until it has an answer, and each time with the same key. */
  @Post('payments')
  @HttpCode(202)
  async pay(
    @Headers('idempotency-key') key: string | undefined,
    @Body({ schema: BillOrder.payload }) payload: z.output<typeof BillOrder.payload>,
  ) {
    if (key === undefined) throw new BadRequestException('There is no idempotency-key.');
    const { outcome } = await this.rowlock.enqueue(BillOrder, { payload, unique: { key, scope: 'ever' } });
    return { outcome };
  }

  /** Waits for the report, and no longer than a browser does. Called again, it waits for the same one. */
  @Post('reports')
  async report() {
    const { publicId } = await this.rowlock.enqueue(WriteReport, { payload: {}, unique: 'now' });
    try {
      return (await this.rowlock.settled(publicId, { timeout: '10s' })).output;
    } catch (error) {
      if (!(error instanceof NotSettledError)) throw error;
      return { progress: (await this.rowlock.find(publicId))?.progress };
    }
  }
}
