import { expect, test } from 'vitest';
import { handClock } from '../../../test/hand-clock.js';
import type { RunNote } from '../../driver/run-record.js';
import type { Logger } from '../../logger.js';
import { progressReporter } from './progress.js';

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

function reporting(recorded: Promise<void>) {
  const clock = handClock();
  const notes: RunNote[] = [];
  const driver = {
    async noteRun(_: unknown, note: RunNote) {
      notes.push(note);
    },
  };
  const run = { runId: 'run', jobs: [1n], recorded };
  return { clock, notes, reporter: progressReporter(driver, run, clock, SILENT) };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}

test('of many reports the newest is written, after a while', async () => {
  const { clock, notes, reporter } = reporting(Promise.resolve());
  for (const value of [1, 2, 3]) reporter.report(value);
  await turns();
  expect(notes).toEqual([]);
  clock.advance(100);
  await turns();
  expect(notes).toEqual([{ progress: 3 }]);
});

test('what is reported while the record is on its way is written when it is there', async () => {
  let record = (): void => {};
  const recorded = new Promise<void>((resolve) => {
    record = resolve;
  });
  const { clock, notes, reporter } = reporting(recorded);
  reporter.report('half');
  clock.advance(100);
  await turns();
  expect(notes).toEqual([]);
  record();
  await turns();
  expect(notes).toEqual([{ progress: 'half' }]);
});

test('a record that never came is written no progress', async () => {
  const { clock, notes, reporter } = reporting(Promise.reject(new Error('lost')));
  reporter.report('half');
  clock.advance(100);
  await turns();
  expect(notes).toEqual([]);
});

test('what is left when the run ends costs no write more', async () => {
  const { clock, notes, reporter } = reporting(Promise.resolve());
  reporter.report(50);
  clock.advance(100);
  reporter.report(100);
  reporter.stop();
  clock.advance(100);
  await turns();
  expect(notes).toEqual([{ progress: 50 }]);
});
