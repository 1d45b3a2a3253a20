import { expect, test } from 'vitest';
import { handClock } from '../../test/hand-clock.js';
import { DriverError, type DriverErrorCode } from '../driver/driver-error.js';
import { HANGS_MS } from '../hangs.js';
import { GatheredCalls } from './gathered-calls.js';

/** A statement, and its answer. */
interface Statement {
  readonly inputs: readonly number[];
  readonly isShared: boolean;
  readonly answer: () => void;
  readonly fail: (error: unknown) => void;
}

const MOST = 500;

/** Calls to a server that answers when the test says so. The output of a number is its text. */
function gathering() {
  const clock = handClock();
  const statements: Statement[] = [];
  const gathered = new GatheredCalls<number, string>(
    (inputs, isShared) =>
      new Promise((resolve, reject) => {
        const answer = () => resolve(inputs.map(String));
        statements.push({ inputs, isShared, answer, fail: reject });
      }),
    MOST,
    clock,
  );
  const call = (...inputs: readonly number[]) => gathered.call(inputs);
  const sent = () => statements.map(({ inputs }) => inputs);
  return { gathered, clock, statements, call, sent };
}

/** Until all callers with an answer have gone on. */
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

test('who comes alone waits for nobody', () => {
  const { call, sent } = gathering();
  void call(1);
  expect(sent()).toEqual([[1]]);
  void call(2);
  expect(sent()).toEqual([[1], [2]]);
});

test('those who come while two statements are on their way share the next, and each has its own outcomes', async () => {
  const { call, sent, statements } = gathering();
  const calls = [call(1), call(2), call(3), call(4, 5), call(6)];
  expect(sent()).toEqual([[1], [2]]);
  statements[1]?.answer();
  await turn();
  expect(sent()).toEqual([[1], [2], [3, 4, 5, 6]]);
  void call(7);
  expect(statements).toHaveLength(3);
  for (const { answer } of statements) answer();
  expect(await Promise.all(calls)).toEqual([['1'], ['2'], ['3'], ['4', '5'], ['6']]);
  await turn();
  expect(sent().at(-1)).toEqual([7]);
});

test('a statement has 500 inputs at most, and no call is cut', async () => {
  const { call, statements } = gathering();
  const most = Array.from({ length: 50 }, (_, place) => place);
  for (const one of [1, 2]) void call(one);
  for (let time = 0; time < 9; time++) void call(...most);
  void call(1);
  for (let time = 0; time < 2; time++) void call(...most);
  statements[0]?.answer();
  statements[1]?.answer();
  await turn();
  expect(statements.map(({ inputs }) => inputs.length)).toEqual([1, 1, 451, 100]);
});

test.each([
  new DriverError('InvalidInput', 'A trigger does not like it.'),
  new DriverError('Unknown', 'Nor that.'),
  new DriverError('LockTimeout', 'Another transaction has its key.'),
  new DriverError('PermissionDenied', 'A policy does not let it in.'),
  new DriverError('SchemaOutdated', 'The table of a trigger is gone.'),
  new DriverError('StatementCancelled', 'A trigger took too long.'),
])('one whose jobs are refused harms none of those beside it: %s', async (refusal) => {
  const { call, sent, statements } = gathering();
  const calls = [1, 2, 3, 4, 5].map((each) => call(each));
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

test('the calls of a refused statement are divided until the refused one is alone', async () => {
  const { call, sent, statements } = gathering();
  const calls = Array.from({ length: 66 }, (_, place) => call(place));
  statements[0]?.answer();
  statements[1]?.answer();
  await turn();
  const refused = (): Statement | undefined =>
    statements.find(({ inputs, isShared }) => isShared && inputs.includes(40));
  statements[2]?.fail(new DriverError('UniqueViolation', 'It is taken.'));
  await turn();
  expect(
    sent()
      .slice(3)
      .map((inputs) => inputs.length),
  ).toEqual([8, 8, 8, 8, 8, 8, 8, 8]);
  for (const each of statements.slice(3))
    if (each.inputs.includes(40)) each.fail(new DriverError('Deadlock', 'It was.'));
  await turn();
  expect(sent().slice(11)).toEqual([34, 35, 36, 37, 38, 39, 40, 41].map((each) => [each]));
  expect(refused()?.isShared).toBe(true);
  expect(statements.slice(11).every(({ isShared }) => !isShared)).toBe(true);
  for (const { inputs, answer, fail } of statements)
    if (inputs.length === 1 && inputs[0] === 40) fail(new DriverError('UniqueViolation', 'It is taken.'));
    else answer();
  const ended = await Promise.allSettled(calls);
  expect(ended.flatMap(({ status }, place) => (status === 'rejected' ? place : []))).toEqual([40]);
});

const error = (code: DriverErrorCode) => new DriverError(code, 'All of it.');

test.each([
  error('ConnectionLost'),
  error('CommitUnknown'),
  error('OutOfResources'),
  new TypeError('A mistake.'),
])('what says nothing of the jobs, which may be in the table, is told to all: %s', async (error) => {
  const { call, statements } = gathering();
  const calls = [1, 2, 3, 4].map((each) => call(each));
  statements[0]?.answer();
  statements[1]?.answer();
  await turn();
  statements[2]?.fail(error);
  await expect(calls[2]).rejects.toBe(error);
  await expect(calls[3]).rejects.toBe(error);
  expect(statements).toHaveLength(3);
});

test('a statement that hangs keeps nobody waiting for long', async () => {
  const { call, sent, clock, statements } = gathering();
  for (const each of [1, 2, 3, 4]) void call(each);
  clock.advance(HANGS_MS.statement - 1);
  expect(statements).toHaveLength(2);
  clock.advance(1);
  expect(sent()).toEqual([[1], [2], [3, 4]]);
  // Statements that hang are not counted a second time when they end.
  statements[0]?.answer();
  statements[1]?.answer();
  await turn();
  for (const each of [5, 6, 7]) void call(each);
  expect(sent().slice(3)).toEqual([[5]]);
});

test('flush waits for those that wait, and for those that hang', async () => {
  const { gathered, call, clock, statements } = gathering();
  for (const each of [1, 2, 3]) void call(each);
  let isFlushed = false;
  const flushed = gathered.flush().then(() => {
    isFlushed = true;
  });
  clock.advance(HANGS_MS.statement);
  statements[0]?.answer();
  statements[2]?.answer();
  await turn();
  expect(isFlushed).toBe(false);
  statements[1]?.answer();
  await flushed;
});
