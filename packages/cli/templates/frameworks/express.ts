import { Router } from 'express';
import { rowlock } from './rowlock.ts';
import { Welcome } from './welcome.ts';

/**
 * A request enqueues a job, and a worker runs it: `app.use(routes)`.
 * How the server stops, and how it enqueues in a transaction: https://github.com/rowlock/rowlock/blob/main/docs/use/frameworks.md
 */
export const routes = Router().post('/welcome/:name', async (request, response) => {
  const { publicId } = await rowlock.enqueue(Welcome, { payload: { name: request.params.name } });
  response.status(202).json({ job: publicId });
});
