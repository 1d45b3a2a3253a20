import { fail } from '@rowlock/core';
import type { MysqlTransaction } from '@rowlock/driver-mysql';
import { JobHandler, Recurring, type RunOf } from '@rowlock/nestjs';
import * as kinds from '../shared/kinds.js';
import { Mails } from '../shared/mails.js';
import { countOpen, Database, inRun } from './database.js';

@JobHandler(kinds.ReserveStock)
export class StockReserver {
  async run({ job, key, tx, enqueue }: RunOf<typeof kinds.ReserveStock, MysqlTransaction>) {
    const { order, product } = job.payload;
    const db = inRun(tx);
    const left = db.updateTable('stock').where('product', '=', product).where('pieces', '>', 0);
    const { numUpdatedRows } = await left
      .set((row) => ({ pieces: row('pieces', '-', 1) }))
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return fail(`${product} is sold out`);
    await db.updateTable('orders').set({ state: 'reserved' }).where('id', '=', order).execute();
    await enqueue(kinds.ConfirmOrders, { key, payload: job.payload });
  }
}

@JobHandler(kinds.ConfirmOrders)
export class OrderConfirmer {
  constructor(private readonly mails: Mails) {}

  async run({ jobs, job, tx }: RunOf<typeof kinds.ConfirmOrders, MysqlTransaction>) {
    const ids = jobs.map(({ payload }) => payload.order);
    await inRun(tx).updateTable('orders').set({ state: 'confirmed' }).where('id', 'in', ids).execute();
    return this.mails.send(job.payload.customer, `${ids.length} confirmed`);
  }
}

@JobHandler(kinds.BillOrder)
export class OrderBiller {
  async run({ job, tx }: RunOf<typeof kinds.BillOrder, MysqlTransaction>) {
    const { order, currency } = job.payload;
    await inRun(tx).updateTable('orders').set({ state: 'billed' }).where('id', '=', order).execute();
    return `billed in ${currency}`;
  }
}

@JobHandler(kinds.OrderFailed)
export class FailedOrders {
  async run({ job, tx }: RunOf<typeof kinds.OrderFailed, MysqlTransaction>) {
    const { order } = kinds.Order.parse(job.payload.payload);
    await inRun(tx).updateTable('orders').set({ state: 'failed' }).where('id', '=', order).execute();
  }
}

/** In a real shop it writes to a search, or to another system. */
@JobHandler(kinds.OrdersChanged)
export class ChangedOrders {
  async run({ key, tx }: RunOf<typeof kinds.OrdersChanged, MysqlTransaction>) {
    return `${await countOpen(inRun(tx), key ?? '')} open`;
  }
}

@Recurring('report.nightly', kinds.nightly)
@JobHandler(kinds.WriteReport)
export class ReportWriter {
  constructor(private readonly db: Database) {}

  async run({ signal, progress }: RunOf<typeof kinds.WriteReport>) {
    const customers = await this.db.selectFrom('orders').select('customer').distinct().execute();
    const open: Record<string, number> = {};
    for (const [done, { customer }] of customers.entries()) {
      signal.throwIfAborted();
      progress({ done, of: customers.length });
      open[customer] = await countOpen(this.db, customer);
    }
    return open;
  }
}
