import { createServer } from 'node:http';
import { createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { health, node, openTelemetry, prometheus } from '@rowlock/telemetry';
import { z } from 'zod';

const Greet = defineHandler({
  kind: 'greet',
  payload: z.object({ name: z.string() }),
  run: ({ job }) => `Hello ${job.payload.name}`,
});

const driver = postgres({ connectionString: process.env.DATABASE_URL });
const metrics = prometheus();
const plugins = [openTelemetry(), metrics]; // spans and metrics for OpenTelemetry's SDK, where the program has one
const rowlock = createRowlock({ driver, handlers: [Greet], plugins });
await rowlock.migrate();
metrics.watch(rowlock);
const worker = rowlock.worker();
const checks = health(rowlock, worker);

const [showMetrics, showHealth] = [node(metrics), node(checks)];
const server = createServer((request, response) =>
  request.url === '/metrics' ? showMetrics(request, response) : showHealth(request, response),
);
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const get = (path: string) => fetch(`http://127.0.0.1:${Object(server.address()).port}${path}`);

const done = new Promise<void>((resolve) => worker.on('settled', () => resolve()));
await worker.start();
await rowlock.enqueue(Greet, { payload: { name: 'Ada' } });
await done;
console.log(await (await get('/ready')).json()); // { live: true, ready: true, reasons: [] }
console.log((await (await get('/metrics')).text()).match(/^rowlock_jobs_settled_total\{.*/m)?.[0]);
server.close();
await rowlock.close();
