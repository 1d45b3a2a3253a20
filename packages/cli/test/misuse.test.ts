import { expect, test } from 'vitest';
import { call } from './call.js';

const SECRET = 'postgres://ada:hunter2@127.0.0.1:1/jobs?password=hunter2';

test.each([
  [[], /Usage: rowlock/],
  [['dump'], /unknown command 'dump'/],
  [['status', '--wach'], /unknown option '--wach'.*--watch/s],
  [['jobs', 'list', '--status', 'lost'], /It is one of new, in-progress/],
  [['jobs', 'list', '--created-from', 'never'], /It takes a time like/],
  [['jobs', 'cancel', '--created-from', '2', '--yes'], /It takes a time like/],
  [['jobs', 'list', '--created-from', '2027-02-30'], /It takes a time like/],
  [['jobs', 'list', '--limit', '0'], /whole number/],
  [['jobs', 'list', '--payload', '[1]'], /an object as JSON/],
  [['status', '--every', '5'], /It takes a duration/],
  [['status', '--watch', '--every', '0s'], /It takes a duration from 100ms to 1d/],
  [['status', '--watch', '--every', '30d'], /It takes a duration from 100ms to 1d/],
  [['sql', 'oracle'], /Allowed choices are postgres, mysql, mariadb/],
  [['sql', 'postgres', '--from', '99'], /must be a version, 0 to \d+, and is 99/],
  [['sql', 'mysql', '--schema', ''], /1 to 64 characters/],
  [['status'], /Set DATABASE_URL/],
  [['status', '--database', 'oracle://localhost'], /cannot be read/],
])('%j is misuse, and explained', async (args, text) => {
  expect(await call(args)).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(text) });
});

test.each([
  [['status'], 1],
  [['status', SECRET], 2],
  [['status', '--database', 'postgres://ada:hunter2@['], 2],
  [['jobs', 'why', SECRET], 1],
  [['jobs', 'list', '--limit', SECRET], 2],
])('no password is shown by %j', async (args, code) => {
  const called = await call(args, { url: SECRET });
  expect(called).toMatchObject({ code, stdout: '' });
  expect(called.stderr).not.toContain('hunter2');
  expect(called.stderr).not.toBe('');
});

test.each([
  ['', SECRET],
  [', also with a blank and the end of a line beside its URL', ` ${SECRET}\n`],
])('a database that is not there is one sentence%s', async (_, url) => {
  const { code, stderr } = await call(['jobs', 'list'], { url });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'The connection to Postgres was lost, or could not be made. connect ECONNREFUSED 127.0.0.1:1\n',
  });
});

test.each([[['--help']], [['jobs', 'list', '-h']], [['help', 'jobs']]])('%j explains', async (args) => {
  expect(await call(args)).toEqual({ code: 0, stdout: expect.stringMatching(/^Usage: rowlock/), stderr: '' });
});
