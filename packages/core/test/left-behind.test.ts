import { expect, test } from 'vitest';
import { z } from 'zod';
import { createRowlock, defineHandler } from '../src/index.js';
import { emptyDatabase, job, NOTHING } from './empty-database.js';
import { handClock } from './hand-clock.js';
import { settled } from './resting-worker.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** A query as builders make them: it is sent when it is waited for, each time. Its answer never comes. */
class Query extends Promise<void> {
  static sent = 0;

  constructor() {
    super(() => {});
  }

  // biome-ignore lint/suspicious/noThenProperty: that is what makes a query builder one.
  override then(): Promise<never> {
    Query.sent += 1;
    return new Promise(() => {});
  }
}

test('a query that a handler returns is sent once, also when the handler is left behind', async () => {
  const jobs = [job(1n)];
  const clock = handClock();
  const { driver } = emptyDatabase({ claim: () => jobs.shift(), survey: () => NOTHING });
  const handler = defineHandler({
    kind: 'work',
    payload: z.unknown(),
    timeout: 1_000,
    run: () => new Query(),
  });
  const worker = createRowlock({ driver, handlers: [handler], clock, log: silent }).worker();
  let left = 0;
  worker.on('leftBehind', () => (left += 1));
  await worker.start();
  await settled();
  expect(Query.sent).toBe(1);
  for (const ms of [1_000, 5_000]) {
    clock.advance(ms);
    await settled();
  }
  expect(left).toBe(1);
  expect(Query.sent).toBe(1);
  await worker.stop();
});
