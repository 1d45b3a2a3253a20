import { fromDrizzle } from '@rowlock/adapters/drizzle';
import { NotSettledError, type Rowlock } from '@rowlock/core';
import { eq } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { BillOrder, ReserveStock, WriteReport } from '../shared/kinds.js';
import { NewOrders } from '../shared/requests.js';
import { countOpen, orders } from './database.js';

type Services = { db: NodePgDatabase; rowlock: Rowlock };

export async function routes(app: FastifyInstance, { db, rowlock }: Services) {
  app.setErrorHandler((error, _request, reply) =>
    error instanceof z.ZodError ? reply.code(400).send({ issues: error.issues }) : reply.send(error),
  );

  // The orders and their jobs are there together, or none of them.
  app.post('/orders', async ({ body }, reply) => {
    const { tenant, customer, products } = NewOrders.parse(body);
    await db.transaction(async (tx) => {
      const rows = products.map((product) => ({ tenant, customer, product, state: 'new' as const }));
      const placed = await tx.insert(orders).values(rows).returning();
      const jobs = placed.map(({ id, product }) => ({
        key: customer,
        payload: { order: id, tenant, customer, product },
      }));
      await rowlock.enqueueMany(ReserveStock, jobs, { tx: fromDrizzle(tx) });
      if ((await countOpen(tx, customer)) > 10)
        throw Object.assign(new Error('No more than 10 orders may be open.'), { statusCode: 409 });
    });
    return reply.code(201).send();
  });

  app.get<{ Params: { customer: string } }>('/orders/:customer', ({ params }) =>
    db.select().from(orders).where(eq(orders.customer, params.customer)).orderBy(orders.id),
  );

  // The provider calls until it has an answer, and each time with the same key.
  app.post('/payments', async ({ headers, body }, reply) => {
    const key = z.string().parse(headers['idempotency-key']);
    const payload = BillOrder.payload.parse(body);
    const { outcome } = await rowlock.enqueue(BillOrder, { payload, unique: { key, scope: 'ever' } });
    return reply.code(202).send({ outcome });
  });

  // Waits for the report, and no longer than a browser does. Called again, it waits for the same one.
  app.post('/reports', async (_request, reply) => {
    const { publicId } = await rowlock.enqueue(WriteReport, { payload: {}, unique: 'now' });
    try {
      return (await rowlock.settled(publicId, { timeout: '10s' })).output;
    } catch (error) {
      if (!(error instanceof NotSettledError)) throw error;
      return reply.code(202).send({ progress: (await rowlock.find(publicId))?.progress });
    }
  });
}
