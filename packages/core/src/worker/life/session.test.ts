import { expect, test } from 'vitest';
import { job } from '../../../test/empty-database.js';
import { handClock } from '../../../test/hand-clock.js';
import { LiveRun } from '../run/live-run.js';
import { Session } from './session.js';

function leasing() {
  const clock = handClock();
  const lease = new LiveRun('run', [job(1n)], true);
  const held = new LiveRun('other', [job(2n)], false);
  return { clock, lease, held, session: new Session(clock, new Set([lease, held])) };
}

test('a lease is told to stop when the session has been away for 0.8 s', () => {
  const { clock, lease, held, session } = leasing();
  session.lost();
  expect(session.isOpen).toBe(false);
  clock.advance(799);
  expect(lease.stopped).toBeNull();
  clock.advance(1);
  expect(lease.stopped).toMatchObject({ code: 'ROWLOCK_CLAIM_LOST' });
  expect(held.stopped).toBeNull();
});

test('a session that is back in time has cost nothing', () => {
  const { clock, lease, session } = leasing();
  session.lost();
  clock.advance(799);
  session.back();
  expect(session.isOpen).toBe(true);
  clock.advance(10_000);
  expect(lease.stopped).toBeNull();
});

test('a session that has ended, as its worker did not start, stops nothing', () => {
  const { clock, lease, session } = leasing();
  session.lost();
  session.end();
  clock.advance(10_000);
  session.lost(10_000);
  expect(lease.stopped).toBeNull();
});
