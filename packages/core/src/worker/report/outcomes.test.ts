import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { SettlingEvent } from '../../job/lifecycle.js';
import type { RunInfo } from '../run/run-info.js';
import { type SettledRun, WorkerEmitter } from './events.js';
import { emitSettled, hasSettledListeners } from './outcomes.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const run: RunInfo = {
  runId: 'r',
  queue: 'q',
  kind: 'k',
  key: null,
  jobs: ['a', 'b', 'c', 'd', 'e', 'f'],
  attempt: 1,
};
const names = ['settled', 'completed', 'failed'] as const;

/** The events of a run whose jobs ended so, for listeners of these events. */
function emitted(
  endings: ReadonlyMap<string, SettlingEvent>,
  listened: readonly (typeof names)[number][] = names,
) {
  const events = new WorkerEmitter(silent);
  const given: [string, ...SettledRun][] = [];
  for (const name of listened) events.on(name, (...each) => void given.push([name, ...each]));
  emitSettled(events, run, endings, 7);
  return given;
}

test('each event comes with the jobs that it is about, and settled first with all', () => {
  const endings = new Map<string, SettlingEvent>([
    ['a', 'complete'],
    ['b', 'fail'],
    ['c', 'exhaust'],
    ['d', 'retry'],
    ['e', 'abandon'],
    ['f', 'complete'],
  ]);
  const completed = new Map([
    ['a', 'complete'],
    ['f', 'complete'],
  ]);
  const failed = new Map([
    ['b', 'fail'],
    ['c', 'exhaust'],
  ]);
  expect(emitted(endings)).toEqual([
    ['settled', run, endings, 7],
    ['completed', run, completed, 7],
    ['failed', run, failed, 7],
  ]);
  expect(emitted(endings, ['failed'])).toEqual([['failed', run, failed, 7]]);
});

test.each(['retry', 'snooze', 'release', 'abandon'] as const)(
  '%s is neither completed nor failed',
  (event) => {
    const endings = new Map([['a', event]]);
    expect(emitted(endings)).toEqual([['settled', run, endings, 7]]);
  },
);

test('a listener of any of them is heard of', () => {
  expect(hasSettledListeners(new WorkerEmitter(silent))).toBe(false);
  for (const name of names) {
    const events = new WorkerEmitter(silent);
    events.on(name, () => {});
    expect(hasSettledListeners(events)).toBe(true);
  }
});

test('what a listener throws is logged, also later, and neither the others nor the process are harmed', async () => {
  const [now, later] = [new Error('now'), new Error('later')];
  const logged: object[] = [];
  const heard: string[] = [];
  const events = new WorkerEmitter({ ...silent, error: (fields) => void logged.push(fields) });
  events.on('idle', () => {
    throw now;
  });
  events.on('idle', async () => {
    throw later;
  });
  events.on('idle', () => void heard.push('the last one'));
  events.emit('idle');
  expect(heard).toEqual(['the last one']);
  // Node reports a rejection that nobody handles at the end of a turn, and vitest fails then.
  await setImmediate();
  expect(logged).toEqual([
    { err: now, event: 'idle' },
    { err: later, event: 'idle' },
  ]);
});
