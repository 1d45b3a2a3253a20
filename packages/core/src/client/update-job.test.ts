import { expect, onTestFinished, test, vi } from 'vitest';
import { DriverError } from '../driver/driver-error.js';
import type { JobFilter } from '../driver/job-filter.js';
import type { JobPage, Updated } from '../driver/jobs.js';
import { append, increment, set } from '../update/operations.js';
import { metadataUpdate, payloadUpdate, updateJob } from './update-job.js';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';
const LOCKED: Updated = { outcome: 'locked' };
const UPDATED: Updated = { outcome: 'updated' };

/** A store that answers with these, and then always with the last one; how long each call could wait; and what is in progress. */
function store(
  answers: readonly (Updated | DriverError)[],
  inProgress: readonly ('job' | 'key')[] = [],
  key: string | null = 'k',
) {
  const left = [...answers];
  const waits: (number | undefined)[] = [];
  const job = { queue: 'q', key, status: inProgress.includes('job') ? 'in-progress' : 'new' };
  return {
    waits,
    isJoined: false,
    async update(_id: string, _update: unknown, waitMs?: number): Promise<Updated> {
      waits.push(waitMs);
      const answer = left.length > 1 ? left.shift() : left[0];
      if (answer === undefined || answer instanceof DriverError) throw answer;
      return answer;
    },
    async list(filter: JobFilter): Promise<JobPage> {
      const isOfKey = filter.status === 'in-progress';
      return Object({ jobs: isOfKey && !inProgress.includes('key') ? [] : [job], next: null });
    },
  };
}

const update = metadataUpdate([increment('n')], false);

test('a job that is not locked is updated without a wait', async () => {
  const free = store([UPDATED]);
  expect(await updateJob(free, ID, update)).toBe('updated');
  expect(free.waits).toEqual([undefined]);
});

test('another writer is waited for, and a run is not', async () => {
  const written = store([LOCKED, new DriverError('LockTimeout', 'locked'), LOCKED, UPDATED]);
  expect(await updateJob(written, ID, update)).toBe('updated');
  expect(written.waits).toEqual([undefined, 200, 200, 200]);
  for (const which of ['job', 'key'] as const) {
    const run = store([LOCKED], [which]);
    expect(await updateJob(run, ID, update)).toBe('running');
    expect(run.waits).toEqual([undefined]);
  }
});

test("a caller's transaction waits for no lock", async () => {
  const written = store([LOCKED, LOCKED, UPDATED], [], null);
  expect(await updateJob({ ...written, isJoined: true }, ID, update)).toBe('updated');
  expect(written.waits).toEqual([undefined, undefined, undefined]);
});

test('a transaction that has the job for long is an error after two seconds, however slow the server is', async () => {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const held = store([LOCKED, new DriverError('LockTimeout', 'locked')]);
  const slow = {
    ...held,
    update(...call: Parameters<typeof held.update>) {
      now += 800;
      return held.update(...call);
    },
  };
  await expect(updateJob(slow, ID, update)).rejects.toMatchObject({
    code: 'LockTimeout',
    isRetryable: true,
    message: expect.stringContaining('Try again'),
  });
  // As long as it has said, and no number of tries.
  expect(now).toBeGreaterThanOrEqual(2_000);
  expect(now).toBeLessThan(2_000 + 800);
  expect(held.waits.length).toBeLessThan(6);
});

test('each outcome has its answer', async () => {
  expect(await updateJob(store([{ outcome: 'illegal', status: 'in-progress' }]), ID, update)).toBe('running');
  await expect(updateJob(store([{ outcome: 'illegal', status: 'error' }]), ID, update)).rejects.toMatchObject(
    {
      code: 'ROWLOCK_ILLEGAL_TRANSITION',
      message: expect.stringContaining('it is error'),
    },
  );
  await expect(updateJob(store([{ outcome: 'missing' }]), ID, update)).rejects.toMatchObject({
    code: 'ROWLOCK_JOB_NOT_FOUND',
  });
  const deadlock = new DriverError('Deadlock', 'deadlock');
  await expect(updateJob(store([deadlock]), ID, update)).rejects.toBe(deadlock);
});

test('metadata stays an object, and a payload may be anything', () => {
  const operations = [set([], [1]), append([], [2])];
  expect(() => metadataUpdate(operations, false)).toThrow(
    expect.objectContaining({ code: 'ROWLOCK_INVALID_INPUT' }),
  );
  expect(payloadUpdate(operations)).toMatchObject({ column: 'payload', from: ['new'] });
  expect(metadataUpdate([set([], { a: 1 })], true).from).toEqual(['new', 'in-progress']);
});
