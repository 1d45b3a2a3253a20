import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ClaimCriteria, Job } from '../src/driver.js';
import { createRowlock, DriverError, defineHandler } from '../src/index.js';
import { emptyDatabase, job, NOTHING } from './empty-database.js';
import { handClock } from './hand-clock.js';
import { settled } from './resting-worker.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const SLOW_MS = 600;

/**
 * The first look meets a busy key, and its time is over. Then the key is free: a later job of the key is claimed, and
 * the run takes the first one. So the later job stays free, behind the line at which the look is continued.
 */
test('a job that a continued look has passed is run before the next poll', async () => {
  const clock = handClock();
  const [first, later] = [job(1n, 'a'), job(3n, 'a')];
  const free = new Set([first, later]);
  const ran: bigint[] = [];
  let claims = 0;
  const lockSiblings = async (): Promise<readonly Job[]> => {
    if (claims === 1) throw new DriverError('LockNotAvailable', 'Another worker has the key.');
    return [...free];
  };
  const { driver } = emptyDatabase({
    async claim({ line, busy }: ClaimCriteria) {
      claims += 1;
      if (claims === 1) await new Promise<void>((resolve) => void clock.after(SLOW_MS, resolve));
      return [...free].find(({ id }) => id > line.id && !busy.includes('a'));
    },
    survey: () => NOTHING,
    session: { lockSiblings },
  });
  const handler = defineHandler({
    kind: 'work',
    payload: z.unknown(),
    run: ({ jobs: [{ publicId }] }) => {
      for (const one of free) if (one.publicId === publicId && free.delete(one)) ran.push(one.id);
    },
  });
  const worker = createRowlock({ driver, handlers: [handler], clock, log: silent }).worker({
    concurrency: 1,
    pollInterval: '1h',
    watchInterval: '1h',
  });
  await worker.start();
  for (let ms = 0; ms < 10_000; ms += 10) {
    await settled();
    clock.advance(10);
  }
  expect(ran).toEqual([1n, 3n]);
  await worker.stop();
});
