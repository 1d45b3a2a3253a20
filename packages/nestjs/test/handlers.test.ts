import {
  BadRequestException,
  Controller,
  Inject,
  Injectable,
  Module,
  Param,
  ParseIntPipe,
  Post,
  Scope,
} from '@nestjs/common';
import { ContextIdFactory, REQUEST } from '@nestjs/core';
import { Rowlock, type RunContext } from '@rowlock/core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { JobHandler, Recurring, type RunOf, TRANSACTION } from '../src/index.js';
import { start } from './application.js';
import { DATABASES, Database, type Tx } from './databases.js';

const ConfirmOrder = { kind: 'order.confirm', payload: z.object({ order: z.number() }) };

@Injectable()
class Mails {
  confirm(order: number): string {
    return `confirmed ${order}`;
  }
}

@JobHandler(ConfirmOrder)
class OrderConfirmer {
  constructor(private readonly mails: Mails) {}

  async run({ job, tx }: RunOf<typeof ConfirmOrder, Tx>): Promise<string> {
    await tx.query(`UPDATE orders SET confirmed = 1 WHERE id = ${job.payload.order}`);
    return this.mails.confirm(job.payload.order);
  }
}

@Controller('orders')
class Orders {
  constructor(
    private readonly rowlock: Rowlock<Tx>,
    private readonly database: Database,
  ) {}

  @Post(':id')
  async create(@Param('id', ParseIntPipe) order: number) {
    let publicId = '';
    await this.database.transaction(async (tx) => {
      await tx.query(`INSERT INTO orders (id) VALUES (${order})`);
      ({ publicId } = await this.rowlock.enqueue(ConfirmOrder, { payload: { order } }, { tx }));
      if (order === 13) throw new BadRequestException('not this one');
    });
    return { publicId };
  }
}

const Count = {
  kind: 'count',
  payload: z.object({ order: z.number() }),
  retry: { base: '1ms' },
} as const;

/** Injected, and built for each run: it has the run's own transaction. */
@Injectable()
class OrderRepository {
  constructor(@Inject(TRANSACTION) private readonly tx: Tx) {}

  async add(order: number): Promise<void> {
    await this.tx.query(`INSERT INTO orders (id) VALUES (${order})`);
  }
}

@JobHandler(Count)
class Counter {
  static readonly runs: RunContext<unknown>[] = [];

  constructor(
    private readonly orders: OrderRepository,
    @Inject(REQUEST) private readonly request: RunContext<unknown>,
  ) {}

  async run({ job }: RunOf<typeof Count, Tx>): Promise<boolean> {
    Counter.runs.push(this.request);
    await this.orders.add(job.payload.order);
    if (job.attempt === 1) throw new Error('The first write is undone.');
    return true;
  }
}

const Tenanted = { kind: 'tenanted', payload: z.object({ tenant: z.string() }) };

@Injectable({ scope: Scope.REQUEST, durable: true })
class TenantSettings {
  static built = 0;
  readonly number = ++TenantSettings.built;

  constructor(@Inject(REQUEST) readonly request: unknown) {}
}

@JobHandler(Tenanted)
class TenantJobs {
  constructor(private readonly settings: TenantSettings) {}

  run(_: RunOf<typeof Tenanted>): number {
    return this.settings.number;
  }
}

describe.each(DATABASES)('on $name', ({ job, open }) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.drop());

  test('a controller enqueues in its own transaction, and a provider with services runs the job in the claim', async () => {
    @Module({ controllers: [Orders], providers: [OrderConfirmer, Mails] })
    class OrdersModule {}

    const { rowlock, post } = await start(database, { imports: [OrdersModule] });
    const { publicId } = Object(await (await post('/orders/1')).json());
    expect(await rowlock.settled(publicId)).toMatchObject({ status: 'complete', output: 'confirmed 1' });
    expect(await database.rows('SELECT confirmed FROM orders WHERE id = 1')).toEqual([{ confirmed: 1 }]);

    expect((await post('/orders/13')).status).toBe(400);
    expect(await database.rows('SELECT id FROM orders WHERE id = 13')).toEqual([]);
    expect(await database.rows(`SELECT kind FROM ${job} WHERE kind = 'order.confirm'`)).toHaveLength(1);
  });

  test("a service that injects TRANSACTION is built for each run, with the run's own", async () => {
    Counter.runs.length = 0;
    const { rowlock } = await start(database, { providers: [Counter, OrderRepository] });
    const { publicId } = await rowlock.enqueue(Count, { payload: { order: 2 } });
    expect(await rowlock.settled(publicId)).toMatchObject({ status: 'complete', attempt: 2, output: true });
    expect(Counter.runs.map((run) => run.job.attempt)).toEqual([1, 2]);
    expect(await database.rows('SELECT id FROM orders WHERE id = 2')).toHaveLength(1);
  });

  test('a durable provider is shared by the runs of a tenant', async () => {
    TenantSettings.built = 0;
    const tenants = new Map<unknown, { id: number }>();
    ContextIdFactory.apply({
      attach(contextId, run) {
        const { tenant } = Object(Object(run).job).payload;
        const shared = tenants.get(tenant) ?? ContextIdFactory.create();
        tenants.set(tenant, shared);
        return ({ isTreeDurable }) => (isTreeDurable ? shared : contextId);
      },
    });
    onTestFinished(() => ContextIdFactory.apply({ attach: (contextId) => () => contextId }));
    const { rowlock } = await start(database, { providers: [TenantJobs, TenantSettings] });
    const numbers: unknown[] = [];
    for (const tenant of ['a', 'b', 'a']) {
      const { publicId } = await rowlock.enqueue(Tenanted, { payload: { tenant } });
      numbers.push((await rowlock.settled(publicId)).output);
    }
    expect(numbers).toEqual([1, 2, 1]);
  });

  test('@Recurring is a schedule of the handler that it stands beside', async () => {
    const Tick = { kind: 'tick', payload: z.object({ of: z.string() }) };
    const ticked = Promise.withResolvers<RunOf<typeof Tick>>();

    @Recurring('tick.nightly', { cron: '0 3 * * *', timeZone: 'Europe/Berlin', payload: { of: 'night' } })
    @Recurring('tick.always', { every: '1s', payload: { of: 'always' } })
    @JobHandler(Tick)
    class Ticker {
      run(context: RunOf<typeof Tick>): void {
        ticked.resolve(context);
      }
    }

    const { rowlock } = await start(database, { providers: [Ticker] });
    expect((await ticked.promise).job).toMatchObject({
      payload: { of: 'always' },
      tick: { schedule: 'tick.always' },
    });
    expect(await rowlock.schedules.list()).toMatchObject([
      { name: 'tick.always', kind: 'tick', everyMs: 1_000, source: 'code', orphaned: false },
      { name: 'tick.nightly', kind: 'tick', cron: '0 3 * * *', timeZone: 'Europe/Berlin', orphaned: false },
    ]);
    await rowlock.schedules.remove('tick.always');
    await rowlock.schedules.remove('tick.nightly');
  });

  test('an application with worker: false enqueues and runs nothing', async () => {
    @Module({ providers: [OrderConfirmer, Mails] })
    class OrdersModule {}

    const web = await start(database, { imports: [OrdersModule] }, { worker: false });
    const { publicId } = await web.rowlock.enqueue(ConfirmOrder, { payload: { order: 3 } });
    expect((await web.rowlock.insight.workers()).filter(({ alive }) => alive)).toEqual([]);
    expect(await web.rowlock.find(ConfirmOrder, publicId)).toMatchObject({ status: 'new' });

    const worker = await start(database, { imports: [OrdersModule] });
    expect(await web.rowlock.settled(publicId)).toMatchObject({ output: 'confirmed 3' });
    expect((await worker.rowlock.insight.workers()).filter(({ alive }) => alive)).toHaveLength(1);
  });
});
