import { expect, onTestFinished, test } from 'vitest';
import { call, objects } from './call.js';
import { SERVERS } from './servers.js';

test.each(SERVERS)(
  'migrations are run, and then there is nothing to do, on $name',
  async ({ fresh, driver }) => {
    const { url, drop } = await fresh();
    onTestFinished(drop);
    const before = await call(['status'], { url });
    expect(before).toMatchObject({ code: 1, stderr: expect.stringContaining('migrate') });
    const [report] = objects((await call(['migrate', '--json'], { url })).stdout);
    expect(report).toMatchObject({ from: 0, applied: expect.arrayContaining(['0001_jobs']) });
    expect((await call(['migrate'], { url })).stdout).toMatch(/^Version (\d) to \1: nothing to do\.\n$/);
    const opened = driver(url);
    await opened.schema.verify();
    await opened.close();
  },
);

test.each([
  ['postgres', 'CREATE SCHEMA IF NOT EXISTS "my jobs";'],
  ['mysql', 'USE `my jobs`;'],
  ['mariadb', 'USE `my jobs`;'],
])('a DBA gets the SQL for %s without a database', async (name, line) => {
  const { code, stdout } = await call(['sql', name, '--schema', 'my jobs']);
  expect(code).toBe(0);
  expect(stdout).toContain(line);
});
