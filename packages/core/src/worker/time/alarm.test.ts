import { expect, test } from 'vitest';
import { handClock } from '../../../test/hand-clock.js';
import { Alarm } from './alarm.js';

test('rings once, at the earliest time that was set', () => {
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

test('rings again when it is set again, and not after it was stopped', () => {
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
