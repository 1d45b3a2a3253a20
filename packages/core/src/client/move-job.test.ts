import { expect, test } from 'vitest';
import type { Moved } from '../driver/jobs.js';
import { moveUnlessLocked } from './move-job.js';

const MOVED: Moved = { outcome: 'moved' };
const CANCELLED: Moved = { outcome: 'illegal', status: 'cancelled' };

/** A store that gives these answers, and then the last one again and again. */
function storeOf(...answers: [Moved, ...Moved[]]) {
  const store = {
    moves: 0,
    async move(): Promise<Moved> {
      store.moves += 1;
      return answers[Math.min(store.moves, answers.length) - 1] ?? answers[0];
    },
  };
  return store;
}

test('a job that is locked for a moment is tried again', async () => {
  const store = storeOf(CANCELLED, CANCELLED, MOVED);
  expect(await moveUnlessLocked(store, 'redrive', 'job')).toEqual(MOVED);
  expect(store.moves).toBe(3);
});

test('a job that stays locked is given up', async () => {
  const store = storeOf(CANCELLED);
  expect(await moveUnlessLocked(store, 'redrive', 'job')).toEqual(CANCELLED);
  expect(store.moves).toBe(5);
});

test('a job of another state is not tried again', async () => {
  const store = storeOf(CANCELLED);
  expect(await moveUnlessLocked(store, 'cancel', 'job')).toEqual(CANCELLED);
  expect(store.moves).toBe(1);
});
