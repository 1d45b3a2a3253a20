import { Hono } from 'hono';
import { rowlock } from './rowlock.ts';
import { Welcome } from './welcome.ts';

/**
 * A request enqueues a job, and a worker runs it: `app.route('/', routes)`.
 * How the server stops, and how it enqueues in a transaction: https://github.com/rowlock/rowlock/blob/main/docs/use/frameworks.md
 */
export const routes = new Hono().post('/welcome/:name', async (context) => {
  const { publicId } = await rowlock.enqueue(Welcome, { payload: { name: context.req.param('name') } });
  return context.json({ job: publicId }, 202);
});
