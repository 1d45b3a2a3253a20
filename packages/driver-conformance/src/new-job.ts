import type { NewJob } from '@rowlock/core/driver';

/** A job as a driver is given it: of queue `q` and kind `k`, without a key, due at once, with one attempt. */
export function newJob(change: Partial<NewJob> = {}): NewJob {
  return {
    queue: 'q',
    kind: 'k',
    key: null,
    payload: {},
    priority: 0,
    available: { inMs: 0 },
    maxAttempts: 1,
    unique: null,
    metadata: {},
    limits: '',
    createdBy: 'test',
    ...change,
  };
}
