import { expect, test } from 'vitest';
import { handClock } from '../../test/hand-clock.js';
import type { WakeUp } from '../driver/wake-up.js';
import { RatedStarts } from './rated-starts.js';

const [A, AB] = ['{"a":[1,60000,1]}', '{"a":[1,60000,1],"b":[2,60000,1]}'];

/** The starts of one worker. `waits` has what the database says, by name. */
function ratedStarts() {
  const clock = handClock();
  const waits = new Map<string, number>();
  const calls: string[] = [];
  const sent: WakeUp[] = [];
  const faults: unknown[] = [];
  const starts = new RatedStarts({
    driver: {
      admission: {
        async take(rates) {
          calls.push(`take ${rates.map(({ name }) => name)}`);
          return rates.map(({ name }) => waits.get(name) ?? 0);
        },
        async giveBack(names) {
          calls.push(`give back ${names}`);
        },
      },
      workers: { notify: async (wakeUps) => void sent.push(...wakeUps) },
    },
    clock,
    pollMs: 5_000,
    onFault: (error) => faults.push(error),
  });
  return { starts, clock, waits, calls, sent, faults };
}

test('a rate that is used up is not looked at again before its time, by whichever slot', async () => {
  const { starts, clock, waits, calls } = ratedStarts();
  waits.set('a', 1_000);
  expect(await starts.take(AB)).toBeNull();
  for (const limits of [A, AB, A]) expect(await starts.take(limits)).toBeNull();
  expect(calls).toEqual(['take a,b']);
  expect(starts.leftMs(A)).toBe(1_000);
  expect(starts.leftMs('{"b":[2,60000,1]}')).toBe(0);
  clock.advance(1_000);
  waits.clear();
  expect(await starts.take(A)).not.toBeNull();
  expect(calls).toEqual(['take a,b', 'take a']);
});

test('other numbers, or a start that was given back, end the wait', async () => {
  const { starts, waits } = ratedStarts();
  waits.set('a', 1_000);
  await starts.take(A);
  expect(starts.changed('b')).toBe(false);
  expect(starts.changed('a')).toBe(true);
  expect(starts.leftMs(A)).toBe(0);
});

test('a start that no run has used is given back, and those who were refused meanwhile are woken', async () => {
  const { starts, calls, sent } = ratedStarts();
  const start = await starts.take(AB);
  await start?.giveBack();
  expect(calls).toEqual(['take a,b', 'give back a,b']);
  expect(sent).toEqual([{ limit: 'a' }, { limit: 'b' }]);
});

test('a start that cannot be given back is lost, and the slot goes on', async () => {
  const { clock, faults } = ratedStarts();
  const gone = new Error('gone');
  const starts = new RatedStarts({
    driver: {
      admission: { take: async () => [0], giveBack: () => Promise.reject(gone) },
      workers: { notify: async () => {} },
    },
    clock,
    pollMs: 5_000,
    onFault: (error) => faults.push(error),
  });
  await (await starts.take(A))?.giveBack();
  expect(faults).toEqual([gone]);
});

test('jobs without rates wait for no start', () => {
  expect(ratedStarts().starts.leftMs('{"a":1}')).toBe(0);
});

test('a rate is looked at again after a poll interval, as the wake-up of a change may be lost', async () => {
  const { starts, waits } = ratedStarts();
  waits.set('a', 3_600_000);
  await starts.take(A);
  expect(starts.leftMs(A)).toBe(5_000);
});

/** What a slot gets whose first take is refused while this limit changes, and how many takes there are. */
async function refusedWhileChanging(name: string) {
  const { clock } = ratedStarts();
  let takes = 0;
  const starts: RatedStarts = new RatedStarts({
    driver: {
      admission: {
        async take() {
          takes += 1;
          if (takes > 1) return [0];
          starts.changed(name);
          return [1_000];
        },
        giveBack: async () => {},
      },
      workers: { notify: async () => {} },
    },
    clock,
    pollMs: 5_000,
    onFault: () => {},
  });
  return { start: await starts.take(A), takes };
}

test('an answer from before a change does not count', async () => {
  expect(await refusedWhileChanging('a')).toMatchObject({ start: {}, takes: 2 });
});

test('an answer counts whatever other limits change meanwhile, as those of tenants do all the time', async () => {
  expect(await refusedWhileChanging('slots of a tenant')).toEqual({ start: null, takes: 1 });
});
