import { Injectable } from '@nestjs/common';
import { onKysely } from '@rowlock/adapters/kysely';
import type { MysqlTransaction } from '@rowlock/driver-mysql';
import { JobHandler, Recurring, type RunOf } from '../../src/index.js';
import type { Tables } from './database.js';
import { BillOrder, ConfirmOrder, NightlyReport, OrderFailed } from './jobs.js';

@Injectable()
export class Mails {
  readonly sent: { readonly customer: string | null; readonly orders: readonly number[] }[] = [];

  confirm(customer: string | null, orders: readonly number[]): void {
    if (customer === 'nobody') throw new Error('This customer has no address.');
    this.sent.push({ customer, orders });
  }
}

@JobHandler(ConfirmOrder)
export class OrderConfirmer {
  constructor(private readonly mails: Mails) {}

  async run({ jobs, key, tx, enqueueMany }: RunOf<typeof ConfirmOrder, MysqlTransaction>): Promise<void> {
    const orders = jobs.map(({ payload }) => payload.order);
    this.mails.confirm(key, orders);
    await onKysely<Tables>(tx)
      .updateTable('orders')
      .set({ state: 'confirmed' })
      .where('id', 'in', orders)
      .execute();
    await enqueueMany(
      BillOrder,
      orders.map((order) => ({ payload: { order, tenant: 'shop' } })),
    );
  }
}

@JobHandler(BillOrder)
export class OrderBiller {
  async run({ job, tx }: RunOf<typeof BillOrder, MysqlTransaction>): Promise<void> {
    const { order } = job.payload;
    await onKysely<Tables>(tx).updateTable('orders').set({ billed: 1 }).where('id', '=', order).execute();
  }
}

@JobHandler(OrderFailed)
export class FailedOrders {
  async run({ job, tx }: RunOf<typeof OrderFailed, MysqlTransaction>): Promise<void> {
    const { order } = Object(job.payload.payload);
    await onKysely<Tables>(tx)
      .updateTable('orders')
      .set({ state: 'failed' })
      .where('id', '=', Number(order))
      .execute();
  }
}

@Recurring('report.nightly', { cron: '0 3 * * *', timeZone: 'Europe/Berlin', payload: { of: 'yesterday' } })
@JobHandler(NightlyReport)
export class Reports {
  async run({ job, tx }: RunOf<typeof NightlyReport, MysqlTransaction>): Promise<string> {
    const orders = await onKysely<Tables>(tx).selectFrom('orders').select('id').execute();
    return `${orders.length} orders ${job.payload.of}`;
  }
}
