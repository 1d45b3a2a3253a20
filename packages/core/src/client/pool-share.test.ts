import { expect, test } from 'vitest';
import { handClock } from '../../test/hand-clock.js';
import { poolOf } from '../../test/pool.js';
import { DriverError } from '../driver/driver-error.js';
import { PoolShare, shareOf } from './pool-share.js';

const SILENT_MS = 5_000;

const lost = new DriverError('ConnectionLost', 'No answer.');

/** Calls that are answered when the test says so. */
function sharing(connections: number | null) {
  const clock = handClock();
  const share = new PoolShare(connections, clock);
  const begun: {
    readonly name: string;
    readonly answer: () => void;
    readonly fail: (error: unknown) => void;
  }[] = [];
  const run = (name: string) =>
    share.run(
      () =>
        new Promise<string>((resolve, reject) => {
          begun.push({ name, answer: () => resolve(name), fail: reject });
        }),
    );
  return { clock, run, begun, names: () => begun.map(({ name }) => name) };
}

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

test.each([
  [1, 1],
  [2, 1],
  [7, 3],
  [null, 5],
])('of %s connections %s have a call, and the next begins when one is over', async (connections, share) => {
  const { run, begun, names } = sharing(connections);
  const calls = ['a', 'b', 'c', 'd', 'e'].map(run);
  expect(begun).toHaveLength(share);
  while (begun.length < 5) {
    begun[begun.length - share]?.answer();
    await turn();
  }
  for (const { answer } of begun) answer();
  expect(await Promise.all(calls)).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(names()).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('the clients of one pool have one share, whatever their drivers', () => {
  const pool = poolOf(4);
  expect(shareOf({ pool }, handClock())).toBe(shareOf({ pool }, handClock()));
});

test('a call that fails makes way for the next', async () => {
  const { run, begun, names } = sharing(2);
  const [a, b] = [run('a'), run('b')];
  begun[0]?.fail(lost);
  await expect(a).rejects.toBe(lost);
  await turn();
  expect(names()).toEqual(['a', 'b']);
  begun[1]?.answer();
  expect(await b).toBe('b');
});

test('calls that have waited as long as one without an answer fail with it', async () => {
  const { run, begun, clock, names } = sharing(2);
  const [a, b] = [run('a'), run('b')];
  clock.advance(SILENT_MS);
  const c = run('c');
  begun[0]?.fail(lost);
  await expect(a).rejects.toBe(lost);
  await expect(b).rejects.toBe(lost);
  await turn();
  expect(names()).toEqual(['a', 'c']);
  begun[1]?.answer();
  expect(await c).toBe('c');
});

test('while the server answers other calls, those that wait go on waiting', async () => {
  const { run, begun, clock, names } = sharing(4);
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(run);
  clock.advance(SILENT_MS);
  begun[1]?.fail(new DriverError('InvalidInput', 'An answer too.'));
  await expect(b).rejects.toMatchObject({ code: 'InvalidInput' });
  begun[0]?.fail(lost);
  await expect(a).rejects.toBe(lost);
  await turn();
  expect(names()).toEqual(['a', 'b', 'c', 'd']);
  for (const { answer } of begun) answer();
  expect(await Promise.all([c, d])).toEqual(['c', 'd']);
});
