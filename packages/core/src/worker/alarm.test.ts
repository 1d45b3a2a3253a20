import { expect, test } from 'vitest';
import type { Clock } from '../clock.js';
import { Alarm } from './alarm.js';

/** Time that goes on when it is told to. */
function handClock(): Clock & { advance(ms: number): void } {
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

test('rings once, at the earliest time that was asked for', () => {
  const clock = handClock();
  let rings = 0;
  const alarm = new Alarm(clock, () => rings++);
  alarm.within(500);
  alarm.within(100);
  alarm.within(300);
  clock.advance(99);
  expect(rings).toBe(0);
  clock.advance(1);
  expect(rings).toBe(1);
  clock.advance(1_000);
  expect(rings).toBe(1);
});

test('rings again when it is asked again, and not after it was stopped', () => {
  const clock = handClock();
  let rings = 0;
  const alarm = new Alarm(clock, () => rings++);
  for (const _ of [1, 2]) {
    alarm.within(10);
    clock.advance(10);
  }
  alarm.within(10);
  alarm.stop();
  clock.advance(10);
  expect(rings).toBe(2);
});
