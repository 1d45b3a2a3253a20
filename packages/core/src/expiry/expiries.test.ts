import { expect, test } from 'vitest';
import { handClock } from '../../test/hand-clock.js';
import { Alarm } from '../worker/time/alarm.js';
import { Expiries } from './expiries.js';

test('jobs whose time is over are cancelled behind a thousand that runs hold', async () => {
  const [held, waiting] = ['held', 'waiting'].map((name) =>
    Array.from({ length: 1_200 }, (_, n) => `${name} ${n}`),
  );
  const [all, cancelled] = [[...(held ?? []), ...(waiting ?? [])], new Set<string>()];
  const clock = handClock();
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const expiries = new Expiries({
    ...{ clock, log: silent, worker: 'w', stopping: new AbortController().signal },
    alarm: new Alarm(clock, () => {}),
    driver: {
      expiry: {
        over: async (look) => {
          const except = new Set('except' in look ? look.except : []);
          return all.filter((id) => !cancelled.has(id) && !except.has(id)).slice(0, 1_000);
        },
        cancel: async (ids) => {
          const free = ids.filter((id) => id.startsWith('waiting'));
          for (const id of free) cancelled.add(id);
          return free;
        },
      },
      followers: { admit: async () => ({ queues: [], last: null, skipped: false, refused: [] }) },
      workers: { notify: async () => {} },
    },
  });
  expiries.surveyed({ nextExpiryMs: -1 });
  await expiries.stop();
  expect(cancelled).toEqual(new Set(waiting));
});
