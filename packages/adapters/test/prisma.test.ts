import { PrismaMariaDb } from '@prisma/adapter-mariadb';
import { PrismaPg } from '@prisma/adapter-pg';
import { fromPrisma, onPrisma } from '../src/prisma.js';
import { describeAdapter, type OwnTransaction } from './describe-adapter.js';
import { generateClient, type OrdersTransaction } from './prisma-client.js';

/** Prisma's own nets are short for a busy machine. */
const PATIENT = { timeout: 60_000, maxWait: 60_000 };

const own = (tx: OrdersTransaction): OwnTransaction => ({
  tx: fromPrisma(tx),
  insert: async (id) => tx.order.create({ data: { id } }),
});

describeAdapter('Prisma', 'postgres', async (url) => {
  const { Client, remove } = await generateClient('postgresql');
  const prisma = new Client({ adapter: new PrismaPg({ connectionString: url }) });
  return {
    transaction: (work) => prisma.$transaction((tx) => work(own(tx)), PATIENT),
    mistakes: {
      client: () => fromPrisma(Object(prisma)),
      nothing: () => fromPrisma(Object(undefined)),
      'a client for a handler': () => onPrisma(Object(prisma), new PrismaPg({}), () => {}),
    },
    on(tx) {
      const on = onPrisma(tx, new PrismaPg({}), (adapter) => new Client({ adapter }));
      return {
        insert: async (id) => on.order.create({ data: { id } }),
        count: async () => on.order.count(),
        nested: (work) => on.$transaction((inner) => work(own(inner)), PATIENT),
        serializable: (work) =>
          on.$transaction((inner) => work(own(inner)), { ...PATIENT, isolationLevel: 'Serializable' }),
      };
    },
    async close() {
      await prisma.$disconnect();
      await remove();
    },
  };
});

describeAdapter('Prisma', 'mysql', async (url) => {
  const { Client, remove } = await generateClient('mysql');
  const prisma = new Client({ adapter: new PrismaMariaDb(url.replace(/^mysql:/, 'mariadb:')) });
  return {
    transaction: (work) => prisma.$transaction((tx) => work(own(tx)), PATIENT),
    mistakes: { client: () => fromPrisma(Object(prisma)) },
    async close() {
      await prisma.$disconnect();
      await remove();
    },
  };
});
