import { expect, test } from 'vitest';
import { z } from 'zod';
import { job } from '../../../test/empty-database.js';
import { handClock } from '../../../test/hand-clock.js';
import { InvalidPayloadError } from '../../errors.js';
import { type AnyHandler, defineHandler } from '../../handler/handler.js';
import { type Checked, check } from './check-job.js';
import { LiveRun } from './live-run.js';

test.each([
  ['whom a schema asks is away', () => Promise.reject(new Error('away')), { event: 'retry' }],
  [
    'a schema throws',
    () => {
      throw new Error('away');
    },
    { event: 'retry' },
  ],
  [
    'a schema of untyped code returns nothing',
    () => JSON.parse('null'),
    { event: 'retry', error: expect.objectContaining({ code: 'ROWLOCK_INVALID_INPUT' }) },
  ],
])('a payload that could not be checked is checked again: %s', async (_, validate, ending) => {
  const payload = { '~standard': { version: 1, vendor: 'test', validate } } as const;
  const handler = defineHandler({ kind: 'work', payload, run: () => {} });
  expect(await checked(handler, new Date())).toMatchObject({ ending });
});

const HOUR_MS = 3_600_000;

test.each([
  ['retry', 23 * HOUR_MS, 'snooze'],
  ['retry', 25 * HOUR_MS, 'fail'],
  ['fail', 0, 'fail'],
] as const)(
  'with %s a payload that is refused %i ms after its enqueue is a %s',
  async (onInvalidPayload, ageMs, event) => {
    const handler = defineHandler({ kind: 'work', payload: z.string(), onInvalidPayload, run: () => {} });
    const ending = { event, error: expect.any(InvalidPayloadError) };
    expect(await checked(handler, new Date(Date.now() - ageMs))).toMatchObject({ ending });
  },
);

function checked(handler: AnyHandler<unknown>, createdAt: Date): Checked | Promise<Checked> {
  const counted = { ...job(1n), createdAt, attemptsMade: 0, crashesSeen: 0, earlierRuns: 0 };
  const live = new LiveRun('run', [counted], false);
  const now = () => Promise.resolve(Date.now());
  return check(counted, { handler, live, clock: handClock(), until: 1_000, now });
}
