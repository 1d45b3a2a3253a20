import type { Clock } from '../src/clock.js';

export interface HandClock extends Clock {
  advance(ms: number): void;
}

/** Time that goes on when it is told to. */
export function handClock(): HandClock {
  let now = 0;
  const timers = new Set<{ at: number; ring: () => void }>();
  return {
    now: () => now,
    after(ms, ring) {
      const timer = { at: now + ms, ring };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      now += ms;
      for (const timer of [...timers]) {
        if (timer.at <= now && timers.delete(timer)) timer.ring();
      }
    },
  };
}
