import { expect, test } from 'vitest';
import { type RateNumbers, startAt } from './rate.js';

const HOUR_US = 3_600_000_000;

/** Whole numbers up to `most`, the same in each run. */
function draws(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % (most + 1);
  };
}

function drawnRate(draw: (most: number) => number): RateNumbers {
  return { starts: 1 + draw(20), perMs: 1 + draw(1_000), burst: 1 + draw(5) };
}

test('in no time of the rate start more than it and its burst allow, and a greedy taker gets all', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const draw = draws(seed);
    const rate = drawnRate(draw);
    const perUs = rate.perMs * 1_000;
    const isGreedy = seed % 3 === 0;
    const starts: number[] = [];
    let [nowUs, nextUs] = [HOUR_US, 0];
    for (let step = 0; step < 200; step++) {
      const { waitUs, takenUs } = startAt(nextUs, nowUs, rate);
      if (waitUs === 0) {
        starts.push(nowUs);
        nextUs = takenUs;
      } else nowUs += isGreedy ? waitUs : draw(2 * waitUs);
      if (!isGreedy) nowUs += draw(perUs / 10);
    }
    const tooMany = rate.starts + rate.burst;
    for (const [place, first] of starts.entries()) {
      const last = starts[place + tooMany - 1];
      if (last !== undefined) expect(last - first, JSON.stringify(rate)).toBeGreaterThanOrEqual(perUs);
      // Each pause is rounded up by less than a microsecond.
      const due = starts[place + rate.starts];
      if (isGreedy && due !== undefined) expect(due - first).toBeLessThan(perUs + rate.starts + 1);
    }
  }
});

test('the wait is exact: a microsecond earlier there is still one', () => {
  const rate = { starts: 7, perMs: 10, burst: 2 };
  let next = startAt(0, HOUR_US, rate).takenUs;
  next = startAt(next, HOUR_US, rate).takenUs;
  const { waitUs, waitingUs } = startAt(next, HOUR_US, rate);
  expect(waitUs).toBe(1_429);
  expect(waitingUs).toBe(next);
  expect(startAt(next, HOUR_US + waitUs - 1, rate).waitUs).toBe(1);
  expect(startAt(next, HOUR_US + waitUs, rate).waitUs).toBe(0);
});

test('after a clock was put back, a rate waits for one pause', () => {
  const rate = { starts: 1, perMs: 1_000, burst: 3 };
  const { waitUs, waitingUs } = startAt(HOUR_US + 100 * HOUR_US, HOUR_US, rate);
  expect(waitUs).toBe(1_000_000);
  expect(waitingUs).toBe(HOUR_US + 3_000_000);
});
