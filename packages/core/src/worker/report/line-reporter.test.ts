import { expect, test } from 'vitest';
import { job } from '../../../test/empty-database.js';
import { handClock } from '../../../test/hand-clock.js';
import { settled } from '../../../test/resting-worker.js';
import { LineReporter } from './line-reporter.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

const at = (publicId: string) => ({ ...job(1n), queue: 'q', publicId });

function reporter(fails: () => boolean = () => false) {
  const clock = handClock();
  const reports: unknown[] = [];
  const report = async (lines: unknown): Promise<void> => {
    reports.push(lines);
    if (fails()) throw new Error('The server is gone.');
  };
  return { clock, reports, lines: new LineReporter({ anchor: { report }, clock, log: silent }) };
}

test('where the sweeps have come to is written five times a second at most, and not when it is what was written before', async () => {
  const { clock, reports, lines } = reporter();
  lines.reached(at('job 1'));
  lines.reached(at('job 2'));
  clock.advance(199);
  expect(reports).toEqual([]);
  clock.advance(1);
  expect(reports).toEqual([{ q: 'job 2' }]);
  await settled();
  lines.idle();
  clock.advance(200);
  expect(reports.at(-1)).toEqual({ q: null });
  await settled();
  // A quick job.
  lines.reached(at('job 3'));
  lines.idle();
  clock.advance(200);
  expect(reports).toHaveLength(2);
});

test('what could not be written is written the next time', async () => {
  const { clock, reports, lines } = reporter(() => reports.length === 1);
  lines.reached(at('job 1'));
  clock.advance(200);
  await new Promise((resolve) => setImmediate(resolve));
  lines.reached(at('job 2'));
  lines.reached(at('job 1'));
  clock.advance(200);
  expect(reports).toEqual([{ q: 'job 1' }, { q: 'job 1' }]);
});
