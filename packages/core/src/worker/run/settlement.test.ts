import { describe, expect, test } from 'vitest';
import { InvalidPayloadError } from '../../errors.js';
import { complete, fail, type Outcome, retry, snooze } from '../../handler/outcome.js';
import type { Job } from '../../job/job.js';
import { countRuns, settlementFor } from './settlement.js';

const job: Job = {
  id: 1n,
  publicId: '00000000-0000-4000-8000-000000000001',
  queue: 'q',
  kind: 'k',
  key: null,
  payload: null,
  priority: 0,
  status: 'new',
  attempt: 0,
  maxAttempts: 3,
  crashes: 0,
  redrives: 0,
  metadata: {},
  limits: '',
  createdAt: new Date(0),
  waitedMs: 0,
};
const policy = {
  runId: 'run',
  backoff: { baseMs: 1_000, factor: 2, capMs: 60_000 },
  tookMs: 5,
  by: 'host',
};
const settle = (given: Partial<Job>, outcome: Outcome, crashes = 0) =>
  settlementFor(countRuns({ ...job, ...given }, { crashes, earlierRuns: crashes }), outcome, policy);

test('a completed job keeps its output and counts the attempt', () => {
  expect(settle({}, complete({ rows: 3 }))).toEqual({
    id: 1n,
    runId: 'run',
    event: 'complete',
    attempt: 1,
    crashes: 0,
    delayMs: 0,
    tookMs: 5,
    output: { rows: 3 },
    error: null,
    by: 'host',
  });
});

test('a retry waits by its backoff, or as long as the handler says', () => {
  expect(settle({ attempt: 1 }, retry('no')).delayMs).toBeGreaterThanOrEqual(1_000);
  expect(settle({ attempt: 1 }, retry('no')).delayMs).toBeLessThanOrEqual(2_000);
  expect(settle({}, retry('no', { delay: '7s' })).delayMs).toBe(7_000);
});

test('a retry of the last attempt is a failure', () => {
  expect(settle({ attempt: 2 }, retry(new Error('again')))).toMatchObject({
    event: 'fail',
    attempt: 3,
    delayMs: 0,
    error: { code: 'Error', message: 'again' },
  });
});

test('a snooze waits and does not count', () => {
  expect(settle({ attempt: 2 }, snooze('1m'))).toMatchObject({
    event: 'snooze',
    attempt: 2,
    delayMs: 60_000,
  });
});

test('the pauses of a refused payload grow with the runs, and its attempts do not', () => {
  const ending = { event: 'snooze', error: new InvalidPayloadError('k', []) } as const;
  const { delayMs, ...settled } = settlementFor(
    countRuns({ ...job, attempt: 2 }, { crashes: 0, earlierRuns: 4 }),
    ending,
    policy,
  );
  expect(settled).toMatchObject({ event: 'snooze', attempt: 2, error: { code: 'ROWLOCK_INVALID_PAYLOAD' } });
  expect(delayMs).toBeGreaterThanOrEqual(8_000);
  expect(delayMs).toBeLessThanOrEqual(16_000);
});

test('a failure is final whatever attempts are left', () => {
  expect(settle({}, fail('nonsense'))).toMatchObject({
    event: 'fail',
    attempt: 1,
    error: { code: 'ROWLOCK_HANDLER', message: 'nonsense' },
  });
});

describe('crashes', () => {
  test('count as attempts once, however often the job is settled', () => {
    const first = settle({}, retry('no'), 1);
    expect(first).toMatchObject({ event: 'retry', attempt: 2, crashes: 1 });
    expect(settle({ attempt: first.attempt, crashes: first.crashes }, complete(), 1)).toMatchObject({
      attempt: 3,
    });
  });

  test('before a redrive do not count after it', () => {
    expect(settle({ attempt: 0, crashes: 3 }, complete(), 3)).toMatchObject({ attempt: 1, crashes: 3 });
  });
});
