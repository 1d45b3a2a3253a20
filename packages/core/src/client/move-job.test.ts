import { expect, test } from 'vitest';
import type { Moved } from '../driver/jobs.js';
import { moveUnlessLocked } from './move-job.js';

const MOVED: Moved = { outcome: 'moved' };
const CANCELLED: Moved = { outcome: 'illegal', status: 'cancelled' };

/** A store that gives these answers, and then the last one again and again. */
function storeOf(...answers: [Moved, ...Moved[]]) {
  const store = {
    moves: 0,
    async move(): Promise<readonly Moved[]> {
      store.moves += 1;
      return [answers[Math.min(store.moves, answers.length) - 1] ?? answers[0]];
    },
  };
  return store;
}

test('a job that is locked for a moment is tried again', async () => {
  const store = storeOf(CANCELLED, CANCELLED, MOVED);
  expect(await moveUnlessLocked(store, 'redrive', ['job'])).toEqual([MOVED]);
  expect(store.moves).toBe(3);
});

test('a job that stays locked is given up', async () => {
  const store = storeOf(CANCELLED);
  expect(await moveUnlessLocked(store, 'redrive', ['job'])).toEqual([CANCELLED]);
  expect(store.moves).toBe(5);
});

test('a job of another state is not tried again', async () => {
  const store = storeOf(CANCELLED);
  expect(await moveUnlessLocked(store, 'cancel', ['job'])).toEqual([CANCELLED]);
  expect(store.moves).toBe(1);
});

test('only what is locked is tried again, and each answer stands at the place of its job', async () => {
  const asked: (readonly string[])[] = [];
  const store = {
    async move(_event: unknown, publicIds: readonly string[]): Promise<readonly Moved[]> {
      asked.push(publicIds);
      return publicIds.map((id) => (id === 'locked' && asked.length === 1 ? CANCELLED : MOVED));
    },
  };
  expect(await moveUnlessLocked(store, 'redrive', ['a', 'locked', 'b'])).toEqual([MOVED, MOVED, MOVED]);
  expect(asked).toEqual([['a', 'locked', 'b'], ['locked']]);
});
