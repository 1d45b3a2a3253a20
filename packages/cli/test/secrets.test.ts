import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { call, objects } from './call.js';
import { SERVERS, stages } from './servers.js';

const stage = stages();

/** What may stand in DATABASE_URL, or be given in the wrong place. The secret is hunter2. */
const URLS = [
  'postgres://ada:hunter2@127.0.0.1:1/jobs',
  'postgres://127.0.0.1:1/jobs?password=hunter2',
  'postgres://127.0.0.1:1/jobs?password=a%26hunter2&sslpassword=hunter2',
  'postgres://127.0.0.1:1/jobs?password=a hunter2',
  'postgres://127.0.0.1:1/jobs?password=a&hunter2',
  'postgres://127.0.0.1:1/jobs?password=a&ssl-hunter2',
  'postgres://ada:a hunter2@127.0.0.1:1/jobs',
  'postgres://ada:a&hunter2@127.0.0.1:1/jobs',
  'postgres://ada:a@hunter2@127.0.0.1:1/jobs',
  'postgres://ada:a"hunter2@127.0.0.1:1/jobs',
  'postgres://ada:1/hunter2@127.0.0.1:1/jobs',
  'postgres://ada:1?hunter2@127.0.0.1:1/jobs',
  'postgres://ada:1#hunter2@127.0.0.1:1/jobs',
  'postgres://ada:%zzhunter2@127.0.0.1:1/jobs',
  'postgres://ada:hunter2@[',
  'postgresql:/ada:hunter2@127.0.0.1:1/jobs',
  'postgresql:ada:hunter2@127.0.0.1:1/jobs',
  'POSTGRES:/ada:hunter2@127.0.0.1:1/jobs',
  'mysql://ada:hunter2@127.0.0.1:1/jobs',
  'mysql:/ada:hunter2@127.0.0.1:1/jobs',
  'mysql://ada:1?ssl-hunter2@127.0.0.1:1/jobs',
  'mysql://127.0.0.1:1/jobs?password=a&hunter2',
  'mysql://127.0.0.1:1/jobs?password=a&ssl-hunter2',
  'mariadb:ada:hunter2@127.0.0.1:1/jobs',
  'oracle:/ada:hunter2@127.0.0.1:1/jobs',
  'ada:hunter2@127.0.0.1:1/jobs',
  'host=127.0.0.1 port=1 user=ada password=hunter2',
];

const PLACES: readonly (readonly [place: string, args: (url: string) => readonly string[]])[] = [
  ['as the database', (url) => ['status', '--database', url]],
  ['as the database of doctor', (url) => ['doctor', '--database', url]],
  ['as a command', (url) => [url]],
  ['as an argument too many', (url) => ['status', url]],
  ['as the value of a misspelt option', (url) => ['status', `--databse=${url}`]],
  ['behind a misspelt option', (url) => ['status', '--databse', url]],
  ['as a number', (url) => ['jobs', 'list', '--limit', url]],
  ['as a time', (url) => ['jobs', 'list', '--created-from', url]],
  ['as a choice', (url) => ['sql', url]],
  ['as a module', (url) => ['run', url]],
  ['as an id', (url) => ['jobs', 'why', url, '--database', 'postgres://127.0.0.1:1/x']],
  ['as the name of all', (url) => ['pause', 'all', url]],
];

test.each(PLACES)('no secret is shown where a URL is given %s', async (_, args) => {
  for (const url of URLS) {
    const { code, stdout, stderr } = await call(args(url));
    expect(`${code} ${stdout}${stderr}`, url).not.toContain('hunter2');
    expect(code, url).not.toBe(0);
    expect(stderr + stdout, url).not.toBe('');
  }
});

test('no secret of DATABASE_URL is shown', async () => {
  for (const url of URLS)
    for (const args of [['status'], ['doctor'], ['doctor', '--json'], ['migrate']]) {
      const { stdout, stderr } = await call(args, { url });
      expect(stdout + stderr, url).not.toContain('hunter2');
    }
});

test('a URL that a shell has cut at its blanks is not shown either', async () => {
  const args = ['--database', 'postgres://ada:two', 'hunter2', 'words@127.0.0.1/jobs', 'status'];
  const { code, stderr } = await call(args);
  expect(code).toBe(2);
  expect(stderr).not.toMatch(/two|hunter2|words/);
});

test('the scheme and the host of a URL are shown', async () => {
  const { stderr } = await call(['status', 'postgres://ada:hunter2@db.example:5432/jobs?password=x']);
  expect(stderr).toContain('postgres://db.example:5432');
  expect(stderr).not.toMatch(/ada|jobs\?/);
});

const ESCAPES = 'a\u001b[31mb\u009b31mc\u202ed\u2066e\u0007';
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const ECHOING: readonly (readonly string[])[] = [
  [ESCAPES],
  ['status', ESCAPES],
  ['status', `--${ESCAPES}`],
  ['jobs', 'list', '--limit', ESCAPES],
  ['jobs', 'list', '--created-from', ESCAPES],
  ['jobs', 'list', '--status', ESCAPES],
  ['jobs', 'show', ESCAPES],
  ['jobs', 'why', ESCAPES],
  ['jobs', 'cancel', ESCAPES, ESCAPES],
  ['jobs', 'redrive', ESCAPES],
  ['jobs', 'enqueue', 'mail', ESCAPES],
  ['jobs', 'enqueue', ESCAPES, '{}', '--queue', ESCAPES],
  ['pause', 'all', ESCAPES],
  ['pause', ESCAPES],
  ['pause', 'queue', ESCAPES],
  ['resume', 'queue', ESCAPES],
  ['limits', 'set', ESCAPES, '--max', '1'],
  ['limits', 'reset', ESCAPES],
  ['schedules', 'run', ESCAPES],
  ['schedules', 'remove', ESCAPES],
  ['schedules', 'preview', ESCAPES],
  ['schedules', 'pause', ESCAPES],
  ['sql', ESCAPES],
  ['sql', 'postgres', '--schema', ESCAPES],
  ['sql', 'mysql', '--schema', ESCAPES],
  ['status', '--schema', ESCAPES],
  ['completion', ESCAPES],
  ['run', ESCAPES],
  ['doctor', ESCAPES],
];

test('what is given in a call sends no escape to the terminal', async () => {
  const { url } = await stage(SERVERS[0]);
  for (const args of ECHOING)
    for (const words of [args, [...args, '--json']]) {
      const { stdout, stderr } = await call(words, { url });
      expect(stdout, words.join(' ')).not.toMatch(UNSAFE);
      expect(stderr, words.join(' ')).not.toMatch(UNSAFE);
    }
});

test('the log of a worker has no escapes and no secrets', async () => {
  const { url, rowlock } = await stage(SERVERS[0]);
  await rowlock.enqueue({ kind: 'loud', payload: z.object({ to: z.string() }) }, { payload: { to: 'ada' } });
  const handlers = fileURLToPath(new URL('handlers.ts', import.meta.url));
  const { stderr } = await call(['run', handlers, '--until-idle'], { url });
  expect(stderr).toContain('postgres://db.example');
  expect(stderr).not.toMatch(UNSAFE);
  expect(stderr).not.toContain('hunter2');
});

test('JSON has no controls and no bidirectional marks, and is still the same data', async () => {
  const { url, rowlock } = await stage(SERVERS[0]);
  const text = `${ESCAPES}\u{e0001}\u2028\u{1d173}\u{1f469}\u200d\u{1f680}`;
  const payload = {
    '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
  } as const;
  await rowlock.enqueue({ kind: 'mail', payload }, { payload: { text, [text]: 1 } });
  const { stdout } = await call(['jobs', 'list', '--json'], { url });
  expect(stdout).not.toMatch(UNSAFE);
  expect(objects(stdout)).toMatchObject([{ payload: { text, [text]: 1 } }]);
});
