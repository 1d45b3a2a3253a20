import { stripVTControlCharacters } from 'node:util';
import { type Enqueueable, InvalidInputError, set } from '@rowlock/core';
import { NO_ID } from '@rowlock/core/driver';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { call, objects } from './call.js';
import { SERVERS, stages } from './servers.js';

const stage = stages();

const Mail = {
  kind: 'mail.send',
  queue: 'mail',
  payload: z.object({ to: z.string() }),
} satisfies Enqueueable;

describe.each(SERVERS)('jobs on $name', (server) => {
  test('are enqueued, found, shown and explained', async () => {
    const { url, rowlock } = await stage(server);
    const options = [
      '--queue',
      'mail',
      '--key',
      'ada',
      '--delay',
      '1h',
      '--priority',
      '-3',
      '--attempts',
      '2',
    ];
    const { stdout } = await call(['jobs', 'enqueue', 'mail.send', '{"to":"ada"}', ...options, '--json'], {
      url,
    });
    const [enqueued] = objects(stdout);
    expect(enqueued).toEqual({ outcome: 'enqueued', publicId: expect.any(String) });
    const publicId = String(enqueued?.publicId);
    expect(await rowlock.find(publicId)).toMatchObject({
      kind: 'mail.send',
      queue: 'mail',
      key: 'ada',
      payload: { to: 'ada' },
      priority: -3,
      maxAttempts: 2,
    });

    const listed = await call(['jobs', 'list', '--payload', '{"to":"ada"}', '--json'], { url });
    expect(objects(listed.stdout)).toMatchObject([{ publicId, status: 'new' }]);
    expect((await call(['jobs', 'list', '--created-before', '1h'], { url })).stdout).toBe(
      'No job is like this.\n',
    );

    const shown = await call(['jobs', 'show', publicId], { url });
    expect(shown.stdout).toMatch(/payload +\{"to":"ada"\}.*No run is on record\./s);
    expect(objects((await call(['jobs', 'show', publicId, '--json'], { url })).stdout)).toMatchObject([
      { publicId, runs: [] },
    ]);

    const behind = await call(['jobs', 'enqueue', 'mail.send', '--after', publicId, '--json'], { url });
    const follower = String(objects(behind.stdout)[0]?.publicId);
    expect((await call(['jobs', 'why', follower], { url })).stdout).toContain(publicId);

    const why = await call(['jobs', 'why', publicId], { url });
    expect(why.stdout).toMatch(/^Job \S+ is new\.\n- It is due at .*\n- No live worker serves/);
  });

  test('of several pages are listed up to the limit', async () => {
    const { url, rowlock } = await stage(server);
    await rowlock.enqueueMany(
      Mail,
      Array.from({ length: 1_200 }, (_, n) => ({ payload: { to: String(n) } })),
    );
    const { stdout } = await call(['jobs', 'list', '--limit', '1100', '--json'], { url });
    const found = objects(stdout);
    expect(found).toHaveLength(1_100);
    expect(found[0]).toMatchObject({ payload: { to: '1199' } });
    const oldest = await call(['jobs', 'list', '--oldest', '--limit', '1', '--json'], { url });
    expect(objects(oldest.stdout)).toMatchObject([{ payload: { to: '0' } }]);

    const shown = await call(['jobs', 'list', '--limit', '2'], { url });
    expect(shown.stdout).toMatch(/^ID .*\n.*\n.*\n\nThere may be more than these 2: --limit shows more\.\n$/);
  });

  test('are changed by a filter once somebody has agreed to their number', async () => {
    const { url, rowlock } = await stage(server);
    await rowlock.enqueueMany(Mail, [{ payload: { to: 'ada' } }, { payload: { to: 'bob' } }]);
    const count = async (status: 'new' | 'cancelled') => (await rowlock.jobs.count({ status })).count;
    const cancel = ['jobs', 'cancel', '--kind', 'mail.send'];

    const dry = await call([...cancel, '--dry-run'], { url });
    expect(dry).toEqual({ code: 0, stdout: 'This would cancel 2 jobs.\n', stderr: '' });
    const refused = await call(cancel, { url });
    expect(refused).toEqual({
      code: 2,
      stdout: '',
      stderr: 'This would cancel 2 jobs. Pass --yes to do so.\n',
    });
    const declined = await call(cancel, { url, columns: 80, stdin: 'n\n' });
    expect(declined).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('This will cancel 2 jobs. Go on? [y/N]'),
    });
    expect(await call(cancel, { url, columns: 80, stdin: '' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Nothing was changed.'),
    });
    expect(await count('new')).toBe(2);

    expect(await call(cancel, { url, columns: 80, stdin: 'y\n' })).toMatchObject({
      stdout: '2 jobs are cancelled.\n',
    });
    expect(await count('cancelled')).toBe(2);

    const redriven = await call(
      ['jobs', 'redrive', '--status', 'cancelled', '--most', '1', '--yes', '--json'],
      { url },
    );
    expect(objects(redriven.stdout)).toEqual([{ found: 1, changed: 1, signalled: 0, skipped: 0 }]);
    const moved = await call(['jobs', 'move', 'letters', '--queue', 'mail', '--yes'], { url });
    expect(moved.stdout).toBe('1 job is moved.\n');
    expect((await rowlock.jobs.count({ queue: 'letters', status: 'new' })).count).toBe(1);
    const deleted = await call(['jobs', 'delete', '--status', 'cancelled', '--yes'], { url });
    expect(deleted.stdout).toBe('1 job is deleted.\n');
    expect((await rowlock.jobs.count()).count).toBe(1);
    expect((await call(['jobs', 'delete', '--queue', 'mail', '--yes'], { url })).stdout).toBe(
      'No job is like this.\n',
    );
  });

  test('are changed by their ids, and one that cannot be does not keep the others from it', async () => {
    const { url, rowlock } = await stage(server);
    const [one, other] = await rowlock.enqueueMany(Mail, [
      { payload: { to: 'ada' } },
      { payload: { to: 'bob' } },
    ]);
    const [first, second] = [one?.publicId ?? '', other?.publicId ?? ''];
    await rowlock.cancel(first);
    const called = await call(['jobs', 'cancel', first, second], { url });
    expect(called).toEqual({
      code: 1,
      stdout: `Job ${second}: cancelled.\n`,
      stderr: `Cannot cancel job ${first}: it is cancelled.\n`,
    });
    expect(await call(['jobs', 'redrive', first, '--queue', 'mail'], { url })).toMatchObject({ code: 2 });
    expect((await call(['jobs', 'redrive', first], { url })).stdout).toBe(`Job ${first}: redriven.\n`);
    expect(await call(['jobs', 'show', 'x'], { url })).toMatchObject({
      code: 1,
      stderr: 'There is no job x. It may have been pruned.\n',
    });
  });

  test('are changed by their ids, and one that a transaction has does not keep the others from it', async () => {
    const { url, rowlock } = await stage(server);
    const jobs = await rowlock.enqueueMany(Mail, [{ payload: { to: 'ada' } }, { payload: { to: 'bob' } }]);
    const [locked = '', other = ''] = jobs.map(({ publicId }) => publicId);
    await rowlock.jobs.cancelMany({ queue: 'mail' });
    const driver = server.driver(url);
    onTestFinished(() => driver.close());
    const holder = driver.claims.session({ idleLimitMs: 60_000 });
    const begins = { queue: 'none', kinds: [], line: { priority: 0, id: NO_ID }, busy: [], limit: 1 };
    await holder.claim(begins);
    await rowlock.jobs.updateMetadata(locked, [set('held', true)], { tx: holder.handle });
    expect(await call(['jobs', 'redrive', locked, other], { url })).toEqual({
      code: 1,
      stdout: `Job ${other}: redriven.\n`,
      stderr: expect.stringContaining(`Cannot redrive job ${locked} now`),
    });
    await holder.rollback();
    expect(await call(['jobs', 'redrive', locked], { url })).toMatchObject({ code: 0 });
  });

  test.each([['cancel'], ['redrive'], ['move', 'letters'], ['delete']])(
    'without a condition %s is refused',
    async (...verb) => {
      const { url } = await stage(server);
      expect(await call(['jobs', ...verb, '--yes'], { url })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('A filter is required'),
      });
    },
  );
});

test('a payload is read from standard input, and refused if it is no JSON', async () => {
  const { url, rowlock } = await stage(SERVERS[0]);
  expect(await call(['jobs', 'enqueue', 'mail.send', '-'], { url, stdin: '{"to":"eve"}' })).toMatchObject({
    code: 0,
  });
  expect((await rowlock.jobs.list()).jobs).toMatchObject([{ queue: 'default', payload: { to: 'eve' } }]);
  const latin1 = Buffer.from('{"to":"Zoë"}', 'latin1');
  expect(await call(['jobs', 'enqueue', 'mail.send', '-'], { url, stdin: latin1 })).toMatchObject({
    code: 2,
    stderr: 'The payload is not UTF-8: convert it first, as by iconv.\n',
  });
  expect(await call(['jobs', 'enqueue', 'mail.send', '{'], { url })).toMatchObject({
    code: 2,
    stderr: 'The payload is not JSON.\n',
  });
  const ranged = await call(['jobs', 'enqueue', 'mail.send', '--priority', 'x'], { url });
  expect(ranged).toMatchObject({ code: 2, stderr: expect.stringContaining('priority') });
  await expect(rowlock.enqueue(Mail, { payload: { to: 'x' }, priority: Number.NaN })).rejects.toThrow(
    InvalidInputError,
  );
});

test('a table fits the terminal, and has no control characters of a job', async () => {
  const { url, rowlock } = await stage(SERVERS[0]);
  const kind = `${'long.'.repeat(20)}\u001b[2Jkind`;
  await rowlock.enqueue({ ...Mail, kind }, { payload: { to: 'ada' } });
  const { stdout } = await call(['jobs', 'list'], { url, columns: 130 });
  const lines = stdout.split('\n');
  expect(Math.max(...lines.map((line) => stripVTControlCharacters(line).length))).toBeLessThanOrEqual(130);
  expect(stdout).not.toContain('\u001b[2J');
  expect(stdout).toContain('long.long.');
});
