import type { Rowlock } from '@rowlock/core';
import { createDashboard, node } from '@rowlock/dashboard';
import type { HealthCheck, Prometheus } from '@rowlock/telemetry';
import type { FastifyInstance } from 'fastify';
import { isStaff } from '../shared/requests.js';

type Operated = { rowlock: Rowlock; metrics: Prometheus; checks: HealthCheck };

/** Metrics, health, and the dashboard behind a guard. */
export async function operations(app: FastifyInstance, { rowlock, metrics, checks }: Operated) {
  const asked = (url: string) => new Request(new URL(url, 'http://localhost'));
  app.get('/metrics', ({ url }) => metrics.fetch(asked(url)));
  app.get('/health/*', ({ url }) => checks.fetch(asked(url)));

  const dashboard = createDashboard({
    rowlock,
    basePath: '/rowlock',
    access: ({ headers }) => (isStaff(headers.get('authorization')) ? 'operator' : null),
  });
  const show = node(dashboard);
  app.addHook('onClose', async () => dashboard.close());
  app.removeAllContentTypeParsers(); // the dashboard reads bodies itself
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  for (const path of ['/rowlock', '/rowlock/*'])
    app.all(path, ({ raw }, reply) => {
      reply.hijack();
      show(raw, reply.raw);
    });
}
