import { expect, test } from 'vitest';
import { handClock } from '../../../test/hand-clock.js';
import { DriverError } from '../../driver/driver-error.js';
import { Unsettled } from './unsettled.js';

const info = { runId: 'r', kind: 'k', queue: 'q', key: null, jobs: ['j'], attempt: 1 };
const lost = new DriverError('ConnectionLost', 'gone');
const FAILED = 'a lease could not be settled; trying again';
const OVER = 'leases are settled again';

function unsettled() {
  const clock = handClock();
  const lines: [string, object][] = [];
  const note = (facts: object, text: string): void => void lines.push([text, facts]);
  const log = { debug() {}, info: note, warn: note, error: note };
  return { clock, lines, leases: new Unsettled(clock, log) };
}

test('many leases that cannot be settled have a line, one a minute, and one at the end', () => {
  const { clock, lines, leases } = unsettled();
  for (let second = 0; second < 130; second++) {
    for (let run = 0; run < 24; run++) leases.meet(lost, info);
    clock.advance(1_000);
  }
  expect(lines.map(([text]) => text)).toEqual([FAILED, FAILED, FAILED]);
  for (let run = 0; run < 24; run++) leases.over(info);
  expect(lines.slice(3)).toEqual([[OVER, { ...info, tries: 3_120, tookMs: 130_000 }]]);
});

test('another cause has a line of its own, and what is settled in between has none', () => {
  const { lines, leases } = unsettled();
  leases.over(info);
  leases.meet(lost, info);
  leases.meet(new DriverError('InvalidInput', 'too deep'), info);
  for (let n = 0; n < 5; n++) {
    leases.over(info);
    leases.meet(lost, info);
  }
  expect(lines.map(([text]) => text)).toEqual([FAILED, FAILED, OVER]);
});
