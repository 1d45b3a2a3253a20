import { expect, test } from 'vitest';
import { handClock } from '../../test/hand-clock.js';
import type { NewJob } from '../job/job.js';
import { GatheredEnqueues } from './gathered-enqueues.js';

function newJob(payload: number, key?: string): NewJob {
  const place = { queue: 'q', kind: 'k', key: null, priority: 0, available: { inMs: 0 } } as const;
  const unique = key === undefined ? null : ({ key, scope: 'ever' } as const);
  return { ...place, payload, unique, maxAttempts: 1, metadata: {}, limits: '', createdBy: 'test' };
}

/** Enqueues into a table that answers when the test says so. */
function gathering() {
  const statements: { readonly payloads: readonly unknown[]; readonly answer: () => void }[] = [];
  const gathered = new GatheredEnqueues(
    (jobs) =>
      new Promise((resolve) => {
        const answer = () =>
          resolve(jobs.map(({ payload }) => ({ outcome: 'enqueued', publicId: `${payload}` })));
        statements.push({ payloads: jobs.map(({ payload }) => payload), answer });
      }),
    handClock(),
  );
  return { gathered, statements, sent: () => statements.map(({ payloads }) => payloads) };
}

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

test('many jobs, and several with a unique key, have a statement of their own at once', () => {
  const { gathered, sent } = gathering();
  for (const one of [1, 2, 3]) void gathered.enqueue([newJob(one)]);
  void gathered.enqueue([newJob(4, 'b'), newJob(5, 'a')]);
  const many = Array.from({ length: 51 }, (_, place) => place);
  void gathered.enqueue(many.map((each) => newJob(each)));
  expect(sent()).toEqual([[1], [2], [4, 5], many]);
});

test('jobs with a unique key share statements with their like, in the order of the keys', async () => {
  const { gathered, sent, statements } = gathering();
  for (const one of [1, 2]) void gathered.enqueue([newJob(one)]);
  const keys = ['x', 'y', 'c', 'a', 'b', 'a'];
  const calls = keys.map((key, place) => gathered.enqueue([newJob(10 + place, key)]));
  expect(sent()).toEqual([[1], [2], [10], [11]]);
  statements[2]?.answer();
  await turn();
  expect(sent().slice(4)).toEqual([[13, 15, 14, 12]]);
  for (const { answer } of statements) answer();
  const ids = (await Promise.all(calls)).flatMap((outcomes) => outcomes.map(({ publicId }) => publicId));
  expect(ids).toEqual(['10', '11', '12', '13', '14', '15']);
});

test('flush waits for both', async () => {
  const { gathered, statements } = gathering();
  void gathered.enqueue([newJob(1)]);
  void gathered.enqueue([newJob(2, 'a')]);
  let isFlushed = false;
  const flushed = gathered.flush().then(() => {
    isFlushed = true;
  });
  statements[0]?.answer();
  await turn();
  expect(isFlushed).toBe(false);
  statements[1]?.answer();
  await flushed;
});
