import { expect, test } from 'vitest';
import { handClock } from '../../../test/hand-clock.js';
import { DriverError } from '../../driver/driver-error.js';
import { ClaimLostError } from '../../errors.js';
import { perSecond } from './per-second.js';

const LOST = new ClaimLostError('run', { cause: new DriverError('ConnectionLost', 'cut') });

function collected() {
  const clock = handClock();
  const entries: unknown[] = [];
  const note = (fields: object, message: string): void => void entries.push({ ...fields, message });
  const log = perSecond({ debug: note, info: note, warn: note, error: note }, clock);
  return { clock, log, taken: () => entries.splice(0) };
}

test('warnings of lost connections are one at once, and then one a second with their number', () => {
  const { clock, log, taken } = collected();
  for (let slot = 0; slot < 16; slot++) log.warn({ err: LOST, runId: slot }, 'lost');
  expect(taken()).toEqual([{ err: LOST, runId: 0, message: 'lost' }]);
  clock.advance(1_000);
  expect(taken()).toEqual([{ err: LOST, others: 15, message: 'lost' }]);
  log.warn({ err: LOST, runId: 16 }, 'lost');
  expect(taken()).toEqual([]);
  clock.advance(1_000);
  expect(taken()).toEqual([{ err: LOST, others: 1, message: 'lost' }]);
  clock.advance(1_000);
  log.warn({ err: LOST, runId: 17 }, 'lost');
  expect(taken()).toEqual([{ err: LOST, runId: 17, message: 'lost' }]);
});

test('each message has its own number, and what is no loss is logged each time', () => {
  const { clock, log, taken } = collected();
  const err = new Error('the handler failed');
  for (const message of ['lost', 'not settled', 'lost']) log.warn({ err: LOST }, message);
  for (let time = 0; time < 2; time++) {
    log.warn({ err }, 'failed');
    log.error({ err: LOST }, 'failed');
  }
  expect(taken()).toHaveLength(6);
  clock.advance(1_000);
  expect(taken()).toEqual([{ err: LOST, others: 1, message: 'lost' }]);
});

test.each([250, 1_000])(
  'while one comes each %i ms, the entries are ever more seldom, down to one a minute',
  (ms) => {
    const { clock, log, taken } = collected();
    const entries = [1, 2].map(() => {
      for (let passed = 0; passed < 3_600_000; passed += ms) {
        log.warn({ err: LOST }, 'lost');
        clock.advance(ms);
      }
      return taken().length;
    });
    expect(entries[0]).toBeLessThanOrEqual(72);
    expect(entries[1]).toBeLessThanOrEqual(60);
    // A last pause with some, one without, and a while after that.
    for (const pauseMs of [60_000, 60_000, 3_000]) clock.advance(pauseMs);
    taken();
    for (const runId of [1, 2]) log.warn({ err: LOST, runId }, 'lost');
    clock.advance(1_000);
    expect(taken()).toEqual([
      { err: LOST, runId: 1, message: 'lost' },
      { err: LOST, others: 1, message: 'lost' },
    ]);
  },
);
