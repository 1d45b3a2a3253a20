import { setTimeout as sleep } from 'node:timers/promises';

/** @throws Error when there is no answer in time */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const over = new AbortController();
  const net = sleep(ms, undefined, { signal: over.signal }).then(() => {
    throw new Error(`No answer within ${ms} ms.`);
  });
  net.catch(() => {});
  promise.catch(() => {});
  try {
    return await Promise.race([promise, net]);
  } finally {
    over.abort();
  }
}
