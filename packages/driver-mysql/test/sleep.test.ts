import { EndableWait, type WakeUp } from '@rowlock/core/driver';
import type { Connection } from 'mysql2/promise';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { context } from '../src/context.js';
import { Sleep } from '../src/workers/sleep.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A session on a server whose sleeps end by the test's word, and a bell. */
function asleep(looksOften = false) {
  const sleeps: { seconds: number; end: (isInterrupted: boolean) => void }[] = [];
  const bell: { rings: WakeUp[]; reads: number } = { rings: [], reads: 0 };
  const client: Pick<Connection, 'execute'> = {
    execute: (_: unknown, values?: unknown): Promise<never> =>
      new Promise<unknown>((resolve) => {
        const seconds = Number(Array.isArray(values) ? values.at(-1) : 0);
        sleeps.push({
          seconds,
          end: (isInterrupted) => resolve([[{ slept: isInterrupted ? 1 : 0, only_reads: 0 }], []]),
        });
      }) as Promise<never>,
  };
  const sleep = new Sleep({
    workerId: '1',
    sql: context('any', 20_000).sql,
    bell: {
      unheard: () => ({ places: '?', values: [0n] }),
      receive: async () => {
        bell.reads += 1;
        return bell.rings.splice(0);
      },
    },
    lock: { checkWrites: async () => {} },
    wait: new EndableWait(),
  });
  const receive = (leftMs: number): Promise<readonly WakeUp[]> =>
    sleep.receive(client as Connection, { leftMs, looksOften, isOver: () => false });
  return { sleeps, bell, receive, sleep };
}

/** One that is no longer new. */
async function longAsleep() {
  const session = asleep();
  const received = session.receive(2_000);
  for (let sleeps = 0; sleeps < 8; sleeps++) {
    await vi.advanceTimersByTimeAsync(250);
    session.sleeps.at(-1)?.end(false);
  }
  expect(await received).toEqual([]);
  session.sleeps.length = 0;
  return session;
}

const MINUTE_MS = 60_000;

test('a new session sleeps briefly for as long as producers may have a list without it', async () => {
  const { sleeps, bell, receive } = asleep();
  const received = receive(MINUTE_MS);
  await vi.advanceTimersByTimeAsync(250);
  sleeps.at(-1)?.end(false);
  await vi.advanceTimersByTimeAsync(0);
  expect(sleeps.map(({ seconds }) => seconds)).toEqual([0.25, 0.25]);
  // A producer that did not interrupt it has rung the bell.
  bell.rings.push({ queue: 'q' });
  sleeps.at(-1)?.end(false);
  expect(await received).toEqual([{ queue: 'q' }]);
  // That says nothing of producers to come.
  await vi.advanceTimersByTimeAsync(2_000);
  void receive(MINUTE_MS);
  expect(sleeps.at(-1)?.seconds).toBe(10);
});

test('a quiet session sends six sleeps a minute, which go on while a poll is due', async () => {
  const { sleeps, bell, receive } = await longAsleep();
  for (let polls = 0; polls < 12; polls++) {
    const received = receive(5_000);
    await vi.advanceTimersByTimeAsync(5_000);
    if (polls % 2 === 1) sleeps.at(-1)?.end(false);
    expect(await received).toEqual([]);
  }
  expect(sleeps.map(({ seconds }) => seconds)).toEqual([10, 10, 10, 10, 10, 10]);
  expect(bell.reads).toBe(0);
});

test('one whose worker has leases sleeps for a quarter of a second', async () => {
  const { sleeps, receive } = asleep(true);
  void receive(MINUTE_MS);
  await vi.advanceTimersByTimeAsync(250);
  sleeps[0]?.end(false);
  await vi.advanceTimersByTimeAsync(0);
  expect(sleeps.map(({ seconds }) => seconds)).toEqual([0.25, 0.25]);
});

test('an interruption that comes while nobody waits is heard', async () => {
  const { sleeps, receive } = await longAsleep();
  const received = receive(1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await received).toEqual([]);
  sleeps[0]?.end(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(await receive(1_000)).toEqual([{}]);
});

test('the first interruption does not wait for its ring, and the one that comes with the ring reads it', async () => {
  const { sleeps, bell, receive } = await longAsleep();
  const first = receive(MINUTE_MS);
  await vi.advanceTimersByTimeAsync(0);
  sleeps[0]?.end(true);
  expect(await first).toEqual([{}]);
  expect(bell.reads).toBe(0);
  const second = receive(MINUTE_MS);
  await vi.advanceTimersByTimeAsync(50);
  bell.rings.push({ queue: 'q' });
  sleeps[1]?.end(true);
  expect(await second).toEqual([{ queue: 'q' }]);
});

test('after a ring without an interruption the sleeps are short, for an hour', async () => {
  const { sleeps, bell, receive } = await longAsleep();
  const received = receive(MINUTE_MS);
  await vi.advanceTimersByTimeAsync(10_000);
  sleeps[0]?.end(false);
  await vi.advanceTimersByTimeAsync(0);
  // The bell had been rung before this sleep.
  bell.rings.push({ queue: 'q' });
  sleeps[1]?.end(false);
  expect(await received).toEqual([{ queue: 'q' }]);
  const lasting: (number | undefined)[] = [];
  for (const ms of [0, MINUTE_MS, 60 * MINUTE_MS]) {
    await vi.advanceTimersByTimeAsync(ms);
    const next = receive(1);
    lasting.push(sleeps.at(-1)?.seconds);
    sleeps.at(-1)?.end(true);
    await next;
  }
  expect(lasting).toEqual([0.005, 0.25, 10]);
});
