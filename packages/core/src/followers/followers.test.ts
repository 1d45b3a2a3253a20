import { expect, test } from 'vitest';
import { job } from '../../test/empty-database.js';
import { handClock } from '../../test/hand-clock.js';
import type { Settlement } from '../driver/claim-session.js';
import type { Admitted, FollowersLook } from '../driver/followers.js';
import { Followers } from './followers.js';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const NONE: Admitted = { queues: [], last: null, skipped: false, refused: [] };
const complete: Settlement = {
  ...{ id: 1n, runId: 'run', event: 'complete', attempt: 1, crashes: 0, delayMs: 0, tookMs: 0 },
  ...{ output: null, error: null, by: 'host' },
};

function followersOf(answers: readonly Partial<Admitted>[] = []) {
  const looks: FollowersLook[] = [];
  const woken: (string | undefined)[] = [];
  const clock = handClock();
  const driver = {
    followers: {
      admit: async (look: FollowersLook) => {
        looks.push(look);
        return { ...NONE, ...answers[looks.length - 1] };
      },
    },
    workers: {
      notify: async (wakeUps: readonly { readonly queue?: string }[]) =>
        void woken.push(...wakeUps.map(({ queue }) => queue)),
    },
  };
  const followers = new Followers({ driver, clock, log, worker: 'mill', pollMs: 5_000 });
  return { followers, looks, woken, clock };
}

test('while a survey finds no job that waits, a settlement is followed by no look', async () => {
  const { followers, looks, clock } = followersOf();
  followers.settled([job(1n)], [complete]);
  followers.surveyed({ followers: false });
  followers.settled([job(2n)], [complete]);
  clock.advance(10_000);
  await followers.stop();
  expect(looks).toEqual([]);
});

test('jobs that are settled are looked for, and the queues of those that waited are woken', async () => {
  const { followers, looks, woken } = followersOf([{}, { queues: ['mail'] }]);
  followers.surveyed({ followers: true });
  followers.settled([job(1n), job(2n)], [complete, { ...complete, event: 'retry' }]);
  await followers.stop();
  expect(looks).toContainEqual({ after: ['job 1'] });
  expect(looks).toHaveLength(2);
  expect(woken).toEqual(['mail']);
});

test('a look that has skipped a job is made again', async () => {
  const { followers, looks, clock } = followersOf([{ skipped: true }]);
  followers.wakeUp({ after: 'job 1' });
  clock.advance(60);
  await new Promise(setImmediate);
  clock.advance(60);
  await followers.stop();
  expect(looks).toEqual([{ after: ['job 1'] }, { after: ['job 1'] }]);
});
