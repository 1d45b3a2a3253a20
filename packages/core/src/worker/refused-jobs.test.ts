import { expect, test } from 'vitest';
import { handClock } from '../../test/hand-clock.js';
import { DriverError } from '../index.js';
import { RefusedJobs } from './refused-jobs.js';

function refusedJobs() {
  const clock = handClock();
  const named: unknown[] = [];
  const error = ({ job }: { job?: unknown }): void => void named.push(job);
  const log = { debug() {}, info() {}, warn() {}, error };
  return { clock, named, refused: new RefusedJobs({ clock, log, worker: 'w' }, 'refused') };
}

test('an error that may pass counts as a refusal when it has come to a job three times', () => {
  const { refused } = refusedJobs();
  expect(refused.isLasting(['a', 'b'])).toBe(false);
  expect(refused.isLasting(['c'])).toBe(false);
  expect(refused.isLasting(['b'])).toBe(false);
  expect(refused.isLasting(['a', 'c'])).toBe(false);
  expect(refused.isLasting(['b', 'd'])).toBe(true);
});

test('each job that is refused is named, and of a full disk, which comes to all, one a minute', () => {
  const { clock, named, refused } = refusedJobs();
  const add = (member: string, code: 'Deadlock' | 'OutOfResources'): void =>
    refused.add([{ member, error: new DriverError(code, 'No.') }]);
  for (const member of ['a', 'b']) add(member, 'Deadlock');
  for (const member of ['c', 'd']) add(member, 'OutOfResources');
  clock.advance(60_000);
  add('e', 'OutOfResources');
  expect(named).toEqual(['a', 'b', 'c', 'e']);
});
