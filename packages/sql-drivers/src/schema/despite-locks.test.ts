import { DriverError } from '@rowlock/core';
import { expect, test, vi } from 'vitest';
import { despiteLocks } from './despite-locks.js';

vi.mock('node:timers/promises', () => ({ setTimeout: async () => {} }));

test('a migration that finds its table in use tries again, waits longer each time, and says at last what to do', async () => {
  const waits: number[] = [];
  const cause = new DriverError('LockTimeout', 'canceling statement due to lock timeout');
  const attempt = async (lockSeconds: number): Promise<never> => {
    waits.push(lockSeconds);
    throw cause;
  };
  await expect(despiteLocks(attempt)).rejects.toMatchObject({
    code: 'LockTimeout',
    message: expect.stringMatching(/more than a minute.*End the one that stays open/),
    cause,
  });
  expect(waits).toEqual([1, 2, 4, 8, 16, 32]);
});

test('another error is thrown at once', async () => {
  const error = new DriverError('PermissionDenied', 'must be owner of table worker');
  const attempt = vi.fn(() => Promise.reject(error));
  await expect(despiteLocks(attempt)).rejects.toBe(error);
  expect(attempt).toHaveBeenCalledOnce();
});
