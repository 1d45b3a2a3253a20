import { expect, test } from 'vitest';
import { handClock } from '../../../test/hand-clock.js';
import { DueQueues } from './due-queues.js';

const LANES = { queues: Array.from({ length: 20 }, (_, place) => `q${place}`), kinds: ['k'] };

/** A database in which these queues have due jobs, and a look takes so long. */
function database({ queues = LANES.queues, due = ['q7'], tookMs = 1 } = {}) {
  const clock = handClock();
  const given = { due, tookMs, looks: 0, error: undefined as Error | undefined };
  const driver = {
    claims: {
      async dueQueues(): Promise<readonly string[]> {
        given.looks += 1;
        clock.advance(given.tookMs);
        if (given.error !== undefined) throw given.error;
        return given.due;
      },
    },
  };
  const dueQueues = new DueQueues({ driver, lanes: { ...LANES, queues }, clock, mostMs: 5_000 });
  /** The queues that a round sweeps, each in `sweepMs`. */
  const round = async (woken = '', sweepMs = 0): Promise<readonly string[]> => {
    const isDue = dueQueues.round(woken);
    const swept: string[] = [];
    for (const queue of queues) {
      if (isDue !== null && !(await isDue.includes(queue).catch(() => false))) continue;
      swept.push(queue);
      clock.advance(sweepMs);
    }
    return swept;
  };
  return { clock, given, dueQueues, round };
}

test('a round of many queues sweeps those that have due jobs, after one look', async () => {
  const { given, round } = database();
  expect(await round()).toEqual(['q7']);
  expect(given.looks).toBe(1);
});

test('a round after a pause looks anew, and is whole', async () => {
  const { clock, given, dueQueues, round } = database();
  await round();
  given.due = ['q3'];
  clock.advance(1);
  expect(dueQueues.round('')?.isWhole).toBe(true);
  expect(await round()).toEqual(['q3']);
});

test('an answer counts for nine times as long as looks take, in rounds that are not whole', async () => {
  const { clock, given, dueQueues, round } = database();
  await round();
  clock.advance(1);
  await round();
  given.due = ['q3'];
  clock.advance(8);
  expect(dueQueues.leftMs(clock.now())).toBe(1);
  expect(dueQueues.round('')?.isWhole).toBe(false);
  expect(await round()).toEqual(['q7']);
  clock.advance(1);
  expect(await round()).toEqual(['q3']);
  expect(given.looks).toBe(3);
});

test('a round of few queues sweeps all, without a look', async () => {
  const queues = LANES.queues.slice(0, 8);
  const { given, round } = database({ queues });
  expect(await round()).toEqual(queues);
  expect(given.looks).toBe(0);
});

test('the queue of a wake-up is swept before a look', async () => {
  const { given, round } = database({ due: ['q0', 'q7'] });
  expect(await round('q0')).toEqual(['q0', 'q7']);
  expect(given.looks).toBe(1);
});

test('a job that comes during a long round is found in it', async () => {
  const { given, round } = database({ due: ['q0'] });
  const sweeping = round('', 150);
  given.due = ['q0', 'q19'];
  expect(await sweeping).toEqual(['q0', 'q19']);
  expect(given.looks).toBe(2);
});

test('while a look takes longer than the sweeps of all queues, all are swept', async () => {
  const { clock, given, round } = database({ tookMs: 40 });
  expect(await round()).toEqual(['q7']);
  clock.advance(5_000);
  expect(await round()).toEqual(['q7']);
  expect(await round()).toEqual(LANES.queues);
  expect(given.looks).toBe(2);
  // The pause is nine times as long as the time beyond the sweeps' 20 ms.
  clock.advance(180);
  given.tookMs = 1;
  expect(await round()).toEqual(['q7']);
  expect(given.looks).toBe(3);
});

test('after a look that failed, a round sweeps the other queues', async () => {
  const { given, round } = database();
  given.error = new Error('The disk is full.');
  expect(await round()).toEqual(LANES.queues.slice(1));
  expect(given.looks).toBe(1);
});
