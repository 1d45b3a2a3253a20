import { expect, test } from 'vitest';
import { systemClock } from '../clock.js';
import type { WakeUp } from '../driver/driver.js';
import { consoleLogger } from '../logger.js';
import { Notifier } from './notifier.js';

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

test('one that fails is logged and the next is sent', async () => {
  const warnings: string[] = [];
  let sent = 0;
  const notifier = new Notifier(
    { notify: () => (sent++ === 0 ? Promise.reject(new Error('away')) : Promise.resolve()) },
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

test('a wake-up goes along with an enqueue when its queue has been quiet for 10 ms', async () => {
  let now = 0;
  const clock = { ...systemClock, now: () => now };
  const notifier = new Notifier({ notify: async () => {} }, consoleLogger, clock);
  expect(notifier.mayGoAlong('a')).toBe(true);
  expect(notifier.mayGoAlong('a')).toBe(false);
  expect(notifier.mayGoAlong('b')).toBe(true);
  now = 10;
  notifier.wake('a');
  await notifier.flush();
  expect(notifier.mayGoAlong('a')).toBe(false);
  expect(notifier.mayGoAlong('b')).toBe(true);
  now = 20;
  expect(notifier.mayGoAlong('a')).toBe(true);
});
