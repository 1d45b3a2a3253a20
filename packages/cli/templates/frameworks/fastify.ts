import type { FastifyInstance } from 'fastify';
import { rowlock } from './rowlock.ts';
import { Welcome } from './welcome.ts';

/**
 * A request enqueues a job, and a worker runs it: `app.register(routes)`.
 * How the server stops, and how it enqueues in a transaction: https://github.com/rowlock/rowlock/blob/main/docs/use/frameworks.md
 */
export const routes = async (app: FastifyInstance) => {
  app.post('/welcome/:name', async (request, reply) => {
    const { publicId } = await rowlock.enqueue(Welcome, { payload: Object(request.params) });
    return reply.code(202).send({ job: publicId });
  });
};
