import { fromDrizzle } from '@rowlock/adapters/drizzle';
import { rowlock } from './rowlock.ts';
import { Welcome } from './welcome.ts';

/**
 * Enqueues in an open transaction of yours: the job is there if what the transaction writes is.
 * How a handler writes through your ORM: https://github.com/rowlock/rowlock/blob/main/docs/use/orms.md
 */
export const welcomeIn = (name: string, ...tx: Parameters<typeof fromDrizzle>) =>
  rowlock.enqueue(Welcome, { payload: { name } }, { tx: fromDrizzle(...tx) });
