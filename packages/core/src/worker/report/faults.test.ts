import { expect, test } from 'vitest';
import { handClock } from '../../../test/hand-clock.js';
import { DriverError } from '../../driver/driver-error.js';
import { Alarm } from '../time/alarm.js';
import { WorkerEmitter } from './events.js';
import { Faults } from './faults.js';

const lost = (text: string): DriverError => new DriverError('ConnectionLost', text);

function faulty() {
  const clock = handClock();
  const lines: [string, object][] = [];
  const note = (facts: object, text: string): void => void lines.push([text, facts]);
  const log = { debug: note, info: note, warn: note, error: note };
  const looks: number[] = [];
  const stop = new AbortController();
  const faults = new Faults({
    ...{ clock, log, events: new WorkerEmitter(log), worker: 'w' },
    ...{ alarm: new Alarm(clock, () => looks.push(clock.now())), stopping: stop.signal },
  });
  /** Each slot meets it in its own words, many times a second. */
  const outage = (seconds: number): void => {
    for (let n = 0; n < 10 * seconds; n++) {
      for (const text of ['refused', 'terminated', 'ended']) faults.meet(lost(text));
      clock.advance(100);
    }
  };
  return { clock, lines, looks, outage, faults, stop };
}

const FAILED = 'looking for work failed; trying again';
const OVER = 'looking for work has not failed for 3 s; it goes on';

test('an outage has a line at its beginning, one a minute, and one at its end', () => {
  const { clock, lines, outage, faults } = faulty();
  outage(130);
  expect(lines.map(([text]) => text)).toEqual([FAILED, FAILED, FAILED]);
  faults.answered();
  clock.advance(3_000);
  expect(lines.at(-1)).toEqual([OVER, { worker: 'w', faults: 3_900, tookMs: 129_900 }]);
  clock.advance(60_000);
  outage(1);
  faults.answered();
  clock.advance(3_000);
  expect(lines.slice(4).map(([text]) => text)).toEqual([FAILED, OVER]);
});

test('while looks hang, the outage goes on: it is over when one has ended well', () => {
  const { clock, lines, faults } = faulty();
  for (let look = 0; look < 5; look++) {
    faults.meet(lost('no answer'));
    clock.advance(10_000);
  }
  expect(lines.map(([text]) => text)).toEqual([FAILED]);
  faults.answered();
  clock.advance(3_000);
  expect(lines.map(([text]) => text)).toEqual([FAILED, OVER]);
});

test('slots that lose their connections together pause once and shortly, again and again', () => {
  const { clock, looks, faults } = faulty();
  for (let loss = 0; loss < 10; loss++) {
    for (let slot = 0; slot < 16; slot++) faults.meet(lost('terminated'));
    clock.advance(50);
    expect(looks.splice(0)).toHaveLength(1);
    clock.advance(450);
  }
});

test('the pause grows to a second while each look behind it fails', () => {
  const { clock, looks, faults } = faulty();
  for (let look = 0; look < 12; look++) {
    for (let slot = 0; slot < 16; slot++) faults.meet(lost('refused'));
    while (looks.length === look) clock.advance(10);
  }
  const pauses = looks.map((at, place) => at - (looks[place - 1] ?? 0));
  expect(pauses[0]).toBeLessThanOrEqual(60);
  expect(Math.min(...pauses.slice(6))).toBeGreaterThanOrEqual(500);
});

test('another kind of fault has a line of its own', () => {
  const { lines, outage, faults } = faulty();
  outage(1);
  faults.meet(new DriverError('PermissionDenied', 'a right'));
  faults.meet(new Error('a bug'));
  outage(1);
  expect(lines).toHaveLength(3);
});

test('a worker that stops does not say that it goes on', () => {
  const { clock, lines, outage, stop } = faulty();
  outage(1);
  stop.abort();
  clock.advance(10_000);
  expect(lines.map(([text]) => text)).toEqual([FAILED]);
});
