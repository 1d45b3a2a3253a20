import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BeatingAnchor, type Pulse } from './beating-anchor.js';
import type { WakeUp } from './wake-up.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('an anchor that beats', () => {
  for (const verb of ['beat', 'receive'] as const)
    test(`looks for work when the server was away, though only a ${verb} has met that`, async () => {
      let isAway = false;
      const met: string[] = [];
      const answer = async (by: string): Promise<void> => {
        if (!isAway || by !== verb) return;
        isAway = false;
        met.push(by);
        throw new Error('The session has ended.');
      };
      const pulse: Pulse = {
        workerId: '1',
        beat: () => answer('beat'),
        receive: () => answer('receive').then(() => []),
        report: async () => {},
        drop: () => {},
        stop: async () => {},
      };
      const anchor = await BeatingAnchor.open(pulse);
      const received: WakeUp[] = [];
      const stopping = new AbortController();
      const ended = (async () => {
        const options = { queues: ['a'], everyMs: 3_600_000, signal: stopping.signal };
        for await (const wakeUp of anchor.wakeUps(options)) received.push(wakeUp);
      })();
      await vi.advanceTimersByTimeAsync(10_000);
      expect(received).toEqual([{}]);
      isAway = true;
      await vi.advanceTimersByTimeAsync(10_000);
      expect(met).toEqual([verb]);
      expect(received).toEqual([{}, {}]);
      stopping.abort();
      await ended;
      await anchor.release();
    });
});
