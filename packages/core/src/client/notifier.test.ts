import { expect, test } from 'vitest';
import { systemClock } from '../clock.js';
import { isHint, type WakeUp } from '../driver/wake-up.js';
import type { Enqueued } from '../job/job.js';
import { consoleLogger } from '../logger.js';
import { Notifier } from './notifier.js';

/** No worker is in this process. */
const NOBODY = { serving: () => [], wake() {} };

test('wake-ups that are gathered while one is on its way become one', async () => {
  const sent: (readonly WakeUp[])[] = [];
  let arrive = (): void => {};
  const notifier = new Notifier(
    {
      notify: (wakeUps) => {
        sent.push(wakeUps);
        return new Promise((resolve) => {
          arrive = resolve;
        });
      },
    },
    NOBODY,
    consoleLogger,
    systemClock,
  );
  notifier.wake('a');
  for (const queue of ['a', 'b', 'a', 'b']) notifier.wake(queue);
  expect(sent).toEqual([[{ queue: 'a' }]]);
  arrive();
  await Promise.resolve();
  while (sent.length < 2) await Promise.resolve();
  arrive();
  await notifier.flush();
  expect(sent).toEqual([[{ queue: 'a' }], [{ queue: 'a' }, { queue: 'b' }]]);
});

test('a wake-up that comes in whatever turn after the one before was sent is sent, before flush resolves', async () => {
  for (let turns = 0; turns < 8; turns++) {
    const sent: (readonly WakeUp[])[] = [];
    const notify = async (wakeUps: readonly WakeUp[]): Promise<void> => void sent.push(wakeUps);
    const notifier = new Notifier({ notify }, NOBODY, consoleLogger, systemClock);
    notifier.wake('a');
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    notifier.wake('b');
    await notifier.flush();
    expect(sent).toEqual([[{ queue: 'a' }], [{ queue: 'b' }]]);
  }
});

test('one that fails is logged and the next is sent', async () => {
  const warnings: string[] = [];
  let sent = 0;
  const notifier = new Notifier(
    { notify: () => (sent++ === 0 ? Promise.reject(new Error('away')) : Promise.resolve()) },
    NOBODY,
    { ...consoleLogger, warn: (_, message) => warnings.push(message) },
    systemClock,
  );
  notifier.wake('a');
  await notifier.flush();
  notifier.wake('a');
  await notifier.flush();
  expect(sent).toBe(2);
  expect(warnings).toHaveLength(1);
});

test('the wake-up of a queue goes along with its first enqueue, and behind for four times as long as that took', async () => {
  let now = 0;
  const behind: (readonly WakeUp[])[] = [];
  const notify = async (wakeUps: readonly WakeUp[]): Promise<void> => void behind.push(wakeUps);
  const notifier = new Notifier({ notify }, NOBODY, consoleLogger, { ...systemClock, now: () => now });
  /** @returns how many wake-ups went along */
  const enqueue = async (
    queue: string,
    tookMs = 3,
    outcome: Enqueued['outcome'] = 'enqueued',
  ): Promise<number> => {
    let along = 0;
    await notifier.with([queue], async (wakeUps) => {
      along = wakeUps.length;
      now += tookMs;
      return [{ outcome, publicId: '' }];
    });
    await notifier.flush();
    return along;
  };
  expect(await enqueue('a')).toBe(1);
  expect(await enqueue('a', 0)).toBe(0);
  expect(behind).toEqual([[{ queue: 'a' }]]);
  expect(await enqueue('b', 0)).toBe(1);
  now = 15;
  expect(await enqueue('a', 0, 'duplicate')).toBe(0);
  now = 16;
  expect(await enqueue('a', 1)).toBe(1);
  now = 22;
  expect(await enqueue('a', 1)).toBe(1);
  expect(behind).toHaveLength(1);
});

test('while a wake-up goes along those of other enqueues go behind, and after one that fails too', async () => {
  let now = 0;
  const behind: (readonly WakeUp[])[] = [];
  const notify = async (wakeUps: readonly WakeUp[]): Promise<void> => void behind.push(wakeUps);
  const notifier = new Notifier({ notify }, NOBODY, consoleLogger, { ...systemClock, now: () => now });
  let fail = (): void => {};
  const first = notifier.with(
    ['a'],
    () => new Promise((_, reject) => (fail = () => reject(new Error('away')))),
  );
  now = 1_000;
  await notifier.with(['a'], async () => [{ outcome: 'enqueued', publicId: '' }]);
  await notifier.flush();
  expect(behind).toEqual([[{ queue: 'a' }]]);
  fail();
  await expect(first).rejects.toThrow('away');
  await notifier.with(['a'], async (wakeUps) => {
    expect(wakeUps).toEqual([]);
    return [];
  });
});

test('of several queues those go along that have been quiet', async () => {
  let now = 0;
  const behind: (readonly WakeUp[])[] = [];
  const notify = async (wakeUps: readonly WakeUp[]): Promise<void> => void behind.push(wakeUps);
  const notifier = new Notifier({ notify }, NOBODY, consoleLogger, { ...systemClock, now: () => now });
  const along: (readonly WakeUp[])[] = [];
  const enqueue = async (...queues: readonly string[]): Promise<void> => {
    await notifier.with(queues, async (wakeUps) => {
      along.push(wakeUps);
      now += 3;
      return [{ outcome: 'enqueued', publicId: '' }];
    });
    await notifier.flush();
  };
  await enqueue('a');
  await enqueue('a', 'b', 'c');
  expect(along).toEqual([[{ queue: 'a' }], [{ queue: 'b' }, { queue: 'c' }]]);
  expect(behind).toEqual([[{ queue: 'a' }]]);
});

test('the workers of this process are woken when jobs are in the table, or may be, and named to the others', async () => {
  const behind: (readonly WakeUp[])[] = [];
  const notify = async (wakeUps: readonly WakeUp[]): Promise<void> => void behind.push(wakeUps);
  const woken: string[] = [];
  const here = { serving: () => ['7', '8'], wake: (queue: string) => void woken.push(queue) };
  const notifier = new Notifier({ notify }, here, consoleLogger, { ...systemClock, now: () => 0 });
  await notifier.with(['a'], async (wakeUps) => {
    expect(wakeUps).toEqual([{ queue: 'a', except: ['7', '8'] }]);
    expect(woken).toEqual([]);
    return [{ outcome: 'enqueued', publicId: '' }];
  });
  expect(woken).toEqual(['a']);
  await notifier.with(['a'], async () => [{ outcome: 'duplicate', publicId: '' }]);
  expect(woken).toEqual(['a']);
  await notifier.with(['a'], async () => [{ outcome: 'enqueued', publicId: '' }]);
  await notifier.flush();
  expect(behind).toEqual([[{ queue: 'a', except: ['7', '8'] }]]);
  await expect(notifier.with(['a'], () => Promise.reject(new Error('cut')))).rejects.toThrow('cut');
  expect(woken).toEqual(['a', 'a', 'a']);
});

test('of very many workers in this process none is named: a wake-up is to fit into a notification', async () => {
  const ids = Array.from({ length: 1_000 }, (_, place) => String(10n ** 18n + BigInt(place)));
  const named = async (workers: number): Promise<number | undefined> => {
    const here = { serving: () => ids.slice(0, workers), wake() {} };
    const notifier = new Notifier({ notify: async () => {} }, here, consoleLogger, systemClock);
    let sent: readonly WakeUp[] = [];
    await notifier.with(['a'], async (wakeUps) => {
      sent = wakeUps;
      return [];
    });
    // Half of what Postgres takes: the queue's name is to fit in too.
    expect(JSON.stringify(sent).length).toBeLessThan(4_000);
    return sent.filter(isHint)[0]?.except?.length;
  };
  expect(await named(100)).toBe(100);
  expect(await named(101)).toBeUndefined();
  expect(await named(1_000)).toBeUndefined();
});
