// A process that has answered for a dashboard and closes nothing: for unused.test.ts, which starts it.
import { createRowlock } from '@rowlock/core';
import { createDashboard } from '@rowlock/dashboard';
import { postgres } from '@rowlock/driver-postgres';

const rowlock = createRowlock({ driver: postgres({ connectionString: process.env.DATABASE_URL }) });
const dashboard = createDashboard({ rowlock, access: () => 'operator' });
for (const path of ['', 'api/overview', 'api/picture?queue=default', 'api/jobs', 'api/schedules']) {
  const response = await dashboard.fetch(new Request(`http://localhost/${path}`));
  await response.text();
  console.log(response.status);
}
