import { expect, test } from 'vitest';
import { job } from '../../../test/empty-database.js';
import { handClock } from '../../../test/hand-clock.js';
import { InvalidPayloadError } from '../../errors.js';
import { defineHandler } from '../../handler/handler.js';
import { check } from './check-job.js';
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
    'a schema says no',
    async () => ({ issues: [{ message: 'unknown' }] }),
    { event: 'fail', error: expect.any(InvalidPayloadError) },
  ],
])('a payload that could not be checked is checked again: %s', async (_, validate, ending) => {
  const payload = { '~standard': { version: 1, vendor: 'test', validate } } as const;
  const handler = defineHandler({ kind: 'work', payload, run: () => {} });
  const counted = { ...job(1n), attemptsMade: 0, crashesSeen: 0, earlierRuns: 0 };
  const checking = { live: new LiveRun('run', [counted], false), clock: handClock(), until: 1_000 };
  expect(await check(handler, counted, checking)).toMatchObject({ ending });
});
