import { createServer } from 'node:http';
import { createRowlock } from '@rowlock/core';
import { createDashboard, node } from '@rowlock/dashboard';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

const Mail = defineHandler({
  kind: 'mail.send',
  payload: z.object({ to: z.string() }),
  run: ({ job }) => `sent to ${job.payload.to}`,
});

const driver = postgres({ connectionString: process.env.DATABASE_URL });
const rowlock = createRowlock({ driver, handlers: [Mail] });
await rowlock.migrate();

const dashboard = createDashboard({
  rowlock,
  basePath: '/rowlock',
  // In a real program: the session of your own sign-in.
  access: ({ headers }) =>
    headers.get('cookie') === 'session=ada' ? { can: 'operator', name: 'Ada' } : null,
  redact: (value, _job, part) => (part === 'payload' ? 'hidden' : value),
});
const server = createServer(node(dashboard));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = `http://127.0.0.1:${Object(server.address()).port}/rowlock/`;

console.log((await fetch(address)).status); // 403
const headers = { cookie: 'session=ada' };
console.log((await fetch(address, { headers })).headers.get('content-type')); // text/html; charset=utf-8

const { publicId } = await rowlock.enqueue(Mail, { payload: { to: 'bob' } });
const seen = await (await fetch(`${address}api/job?id=${publicId}`, { headers })).json();
console.log(Object(seen).job.payload, Object(seen).explanation.reasons[0].reason); // hidden unserved
dashboard.close();
server.close();
await rowlock.close();
