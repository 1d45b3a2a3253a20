import { expect, test } from 'vitest';
import { z } from 'zod';
import { tickIn } from '../job/tick.js';
import { fingerprintOf } from './declared.js';
import { defineSchedule, planOf, type Schedule } from './schedule.js';

const handler = { kind: 'report', queue: 'reports', payload: z.object({ of: z.string() }), attempts: 3 };
const payload = { of: 'today' };

/** As JavaScript may pass it. */
const given = (times: object): Schedule => Object.assign({ handler, payload }, times);

test.each([
  [{}, "The schedule needs cron, as '0 3 * * *', or every, as '15m'."],
  [{ cron: '@daily', every: '1h' }, 'not both'],
  [{ cron: '0 3 * *' }, 'cron must have 5 fields'],
  [{ cron: '0 0 0 1 1 * 2027' }, 'cron must have 5 fields'],
  [{ cron: '2026-05-01T00:00:00' }, 'cron must have 5 fields'],
  [{ cron: '@reboot' }, 'cron "@reboot" is not understood'],
  [{ cron: '61 * * * *' }, 'cron "61 * * * *" is not understood: Invalid value for minute: 61.'],
  [{ cron: '0 0 31 2 *' }, 'never comes'],
  [{ cron: '@daily', timeZone: 'Mars/Olympus' }, "timeZone must be a name like 'Europe/Berlin'"],
  [{ cron: '@daily', anchor: new Date(0) }, 'anchor is for every'],
  [{ every: '1h', timeZone: 'UTC' }, 'timeZone is for cron'],
  [{ every: '999ms' }, 'every must be at least 1 s'],
  [{ every: '1h', anchor: 'now' }, 'anchor must be a valid Date'],
  [{ every: '1h', jitter: '25h' }, 'jitter must be at most 24 h'],
  [{ every: '1h', missed: 'all' }, "missed of the schedule must be 'skip', 'once' or { all: { max } }"],
  [{ every: '1h', missed: { all: { max: 0 } }, overlap: 'queue' }, 'missed.all.max'],
  [{ every: '1h', missed: { all: { max: 9 } } }, "overlap 'skip' would leave one"],
  [{ every: '1h', overlap: 'never' }, "overlap of the schedule must be 'skip', 'queue', or 'allow'"],
  [{ every: '1h', timezone: 'UTC' }, 'The schedule has no "timezone"'],
  [{ every: '1h', handler: undefined }, 'needs a handler'],
])('%j is refused: %s', (times, message) => {
  expect(() => defineSchedule(given(times))).toThrow(message);
});

test('the plan has what an enqueue would write, and the times', async () => {
  const schedule = given({
    cron: ' 0 3 * * * ',
    key: 'k',
    priority: -1,
    metadata: { by: 'me' },
    jitter: '30s',
  });
  expect(await planOf('nightly', schedule)).toEqual({
    job: {
      queue: 'reports',
      kind: 'report',
      key: 'k',
      payload,
      priority: -1,
      maxAttempts: 3,
      metadata: { by: 'me' },
      limits: '',
    },
    timing: { cron: '0 3 * * *', timeZone: 'UTC', jitterMs: 30_000 },
    missed: 'once',
    overlap: 'skip',
  });
});

test('the payload is checked by its schema', async () => {
  await expect(planOf('n', { handler, payload: { of: 7 }, every: '1h' })).rejects.toThrow('of');
});

test('two points of one grid are the same', async () => {
  const of = async (anchor: string) =>
    fingerprintOf(await planOf('n', given({ every: '1h', anchor: new Date(anchor) })));
  expect(await of('2026-05-01T00:10Z')).toBe(await of('2020-01-01T07:10Z'));
  expect(await of('2026-05-01T00:10Z')).not.toBe(await of('2026-05-01T00:11Z'));
});

test('a fingerprint does not depend on the order of members', async () => {
  const plan = await planOf('n', given({ every: '1h' }));
  const turned = { ...plan, job: Object.fromEntries(Object.entries(plan.job).reverse()) };
  expect(fingerprintOf(Object.assign({}, plan, turned))).toBe(fingerprintOf(plan));
});

test('metadata without a tick, or with something else in its place, has none', () => {
  expect(tickIn({})).toBeNull();
  expect(tickIn({ rowlock: 'mine' })).toBeNull();
  expect(tickIn({ rowlock: { tick: { schedule: 7 } } })).toBeNull();
});
