import { expect, test } from 'vitest';
import { handClock } from '../../../test/hand-clock.js';
import type { Json } from '../../job/json.js';
import type { Logger } from '../../logger.js';
import { append, increment, set } from '../../update/operations.js';
import { progressReporter } from './progress.js';

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** A reporter whose first writes fail by these errors, and the values that the others have written. */
function reporting(failures: readonly Error[] = []) {
  const clock = handClock();
  const notes: Json[] = [];
  const left = [...failures];
  const driver = {
    claims: {
      async noteRun(_: unknown, progress: Json) {
        const failure = left.shift();
        if (failure !== undefined) throw failure;
        notes.push(progress);
      },
    },
  };
  const run = { runId: 'run', jobs: [1n] };
  return { clock, notes, reporter: progressReporter(driver, run, clock, SILENT) };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}

test('of many reports the newest is written, after a while', async () => {
  const { clock, notes, reporter } = reporting();
  for (const value of [1, 2, 3]) reporter.report(value);
  await turns();
  expect(notes).toEqual([]);
  clock.advance(100);
  await turns();
  expect(notes).toEqual([3]);
});

test('a note that cannot be written harms nothing, and the next one is written', async () => {
  const { clock, notes, reporter } = reporting([new Error('lost')]);
  for (const value of ['half', 'all']) {
    reporter.report(value);
    clock.advance(100);
    await turns();
  }
  expect(notes).toEqual(['all']);
});

test('what is left when the run ends costs no write more', async () => {
  const { clock, notes, reporter } = reporting();
  reporter.report(50);
  clock.advance(100);
  reporter.report(100);
  reporter.stop();
  clock.advance(100);
  await turns();
  expect(notes).toEqual([50]);
});

test('updates change the newest value, and are written together', async () => {
  const { clock, notes, reporter } = reporting();
  reporter.update([increment('done')]);
  reporter.update([increment('done', 2), append('log', ['a'])]);
  clock.advance(100);
  await turns();
  expect(notes).toEqual([{ done: 3, log: ['a'] }]);
  reporter.report({ done: 10 });
  reporter.update([increment('done')]);
  expect(() => reporter.update([set('lost', 1), append('done', [1])])).toThrow(
    expect.objectContaining({ code: 'ROWLOCK_UPDATE_REFUSED', operation: 1 }),
  );
  expect(() => reporter.update([set('lost', 'x'.repeat(70_000))])).toThrow(
    expect.objectContaining({ code: 'ROWLOCK_INVALID_INPUT' }),
  );
  clock.advance(100);
  await turns();
  expect(notes[1]).toEqual({ done: 11 });
});
