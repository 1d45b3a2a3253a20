import { expect, test } from 'vitest';
import { handClock } from '../../test/hand-clock.js';
import { DriverError, type DriverErrorCode } from '../driver/driver-error.js';
import type { Enqueued, NewJob } from '../job/job.js';
import { GatheredEnqueues } from './gathered-enqueues.js';

const HANGS_MS = 200;

/** A statement, and its answer. */
interface Statement {
  readonly payloads: readonly unknown[];
  readonly answer: () => void;
  readonly fail: (error: unknown) => void;
}

/** An enqueue into a table that answers when the test says so. */
function gathering() {
  const clock = handClock();
  const statements: Statement[] = [];
  const gathered = new GatheredEnqueues(
    (jobs) =>
      new Promise((resolve, reject) => {
        const payloads = jobs.map(({ payload }) => payload);
        const answer = () => resolve(jobs.map(idOf));
        statements.push({ payloads, answer, fail: reject });
      }),
    clock,
  );
  const enqueue = (...payloads: readonly number[]) => gathered.enqueue(payloads.map((each) => newJob(each)));
  const sent = () => statements.map(({ payloads }) => payloads);
  return { gathered, clock, statements, enqueue, sent };
}

function newJob(payload: number, unique: NewJob['unique'] = null): NewJob {
  const place = { queue: 'q', kind: 'k', key: null, priority: 0, available: { inMs: 0 } } as const;
  return { ...place, payload, unique, maxAttempts: 1, metadata: {}, createdBy: 'test' };
}

function idOf({ payload }: NewJob): Enqueued {
  return { outcome: 'enqueued', publicId: `${payload}` };
}

const idsOf = (enqueued: readonly Enqueued[]) => enqueued.map(({ publicId }) => publicId);

/** Until all callers with an answer have gone on. */
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

test('who comes alone waits for nobody', () => {
  const { enqueue, sent } = gathering();
  void enqueue(1);
  expect(sent()).toEqual([[1]]);
  void enqueue(2);
  expect(sent()).toEqual([[1], [2]]);
});

test('those who come while two statements are on their way share the next, and each has its own outcomes', async () => {
  const { enqueue, sent, statements } = gathering();
  const calls = [enqueue(1), enqueue(2), enqueue(3), enqueue(4, 5), enqueue(6)];
  expect(sent()).toEqual([[1], [2]]);
  statements[1]?.answer();
  await turn();
  expect(sent()).toEqual([[1], [2], [3, 4, 5, 6]]);
  void enqueue(7);
  expect(statements).toHaveLength(3);
  for (const { answer } of statements) answer();
  expect((await Promise.all(calls)).map(idsOf)).toEqual([['1'], ['2'], ['3'], ['4', '5'], ['6']]);
  await turn();
  expect(sent().at(-1)).toEqual([7]);
});

test('many jobs, and those with a unique key, have a statement of their own at once', () => {
  const { gathered, enqueue, sent } = gathering();
  for (const one of [1, 2, 3]) void enqueue(one);
  void gathered.enqueue([newJob(4, { key: 'a', scope: 'ever' })]);
  const many = Array.from({ length: 51 }, (_, place) => place);
  void enqueue(...many);
  expect(sent()).toEqual([[1], [2], [4], many]);
});

test('a statement has 500 jobs at most, and no call is cut', async () => {
  const { enqueue, statements } = gathering();
  const most = Array.from({ length: 50 }, (_, place) => place);
  for (const one of [1, 2]) void enqueue(one);
  for (let call = 0; call < 9; call++) void enqueue(...most);
  void enqueue(1);
  for (let call = 0; call < 2; call++) void enqueue(...most);
  statements[0]?.answer();
  statements[1]?.answer();
  await turn();
  expect(statements.map(({ payloads }) => payloads.length)).toEqual([1, 1, 451, 100]);
});

test.each([
  new DriverError('InvalidInput', 'A trigger does not like it.'),
  new DriverError('Unknown', 'Nor that.'),
])('one whose jobs are refused harms none of those beside it: %s', async (refusal) => {
  const { enqueue, sent, statements } = gathering();
  const calls = [1, 2, 3, 4, 5].map((each) => enqueue(each));
  statements[0]?.answer();
  statements[1]?.answer();
  await turn();
  expect(sent()).toEqual([[1], [2], [3, 4, 5]]);
  statements[2]?.fail(refusal);
  await turn();
  expect(sent().slice(3)).toEqual([[3], [4], [5]]);
  statements[3]?.answer();
  statements[4]?.fail(refusal);
  statements[5]?.answer();
  const ended = await Promise.allSettled(calls);
  expect(ended.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(ended[3]).toMatchObject({ reason: refusal });
});

const error = (code: DriverErrorCode) => new DriverError(code, 'All of it.');

test.each([
  error('ConnectionLost'),
  error('SchemaOutdated'),
  error('OutOfResources'),
  new TypeError('A mistake.'),
])('what says nothing of the jobs, which may be in the table, is told to all: %s', async (error) => {
  const { enqueue, statements } = gathering();
  const calls = [1, 2, 3, 4].map((each) => enqueue(each));
  statements[0]?.answer();
  statements[1]?.answer();
  await turn();
  statements[2]?.fail(error);
  await expect(calls[2]).rejects.toBe(error);
  await expect(calls[3]).rejects.toBe(error);
  expect(statements).toHaveLength(3);
});

test('a statement that hangs keeps nobody waiting for long', async () => {
  const { enqueue, sent, clock, statements } = gathering();
  for (const each of [1, 2, 3, 4]) void enqueue(each);
  clock.advance(HANGS_MS - 1);
  expect(statements).toHaveLength(2);
  clock.advance(1);
  expect(sent()).toEqual([[1], [2], [3, 4]]);
  // Statements that hang are not counted a second time when they end.
  statements[0]?.answer();
  statements[1]?.answer();
  await turn();
  for (const each of [5, 6, 7]) void enqueue(each);
  expect(sent().slice(3)).toEqual([[5]]);
});

test('flush waits for those that wait, and for those that hang', async () => {
  const { gathered, enqueue, clock, statements } = gathering();
  for (const each of [1, 2, 3]) void enqueue(each);
  let isFlushed = false;
  const flushed = gathered.flush().then(() => {
    isFlushed = true;
  });
  clock.advance(HANGS_MS);
  statements[0]?.answer();
  statements[2]?.answer();
  await turn();
  expect(isFlushed).toBe(false);
  statements[1]?.answer();
  await flushed;
});
