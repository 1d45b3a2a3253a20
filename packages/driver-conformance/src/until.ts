import { setTimeout as sleep } from 'node:timers/promises';

/** A net for what should never take long, in milliseconds. No test's outcome depends on how long it is. */
export const GUARD_MS = 30_000;

/** Waits for a promise, and says what was waited for when it does not settle. */
export async function within<T>(what: string, promise: Promise<T>, guardMs = GUARD_MS): Promise<T> {
  const guard = new AbortController();
  const net = sleep(guardMs, undefined, { signal: guard.signal }).then(() => {
    throw new Error(`Waited in vain for: ${what}`);
  });
  net.catch(() => {});
  try {
    return await Promise.race([promise, net]);
  } finally {
    guard.abort();
  }
}

/** Looks again and again until `look` finds something: for what only the server's tables tell. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  guardMs = GUARD_MS,
): Promise<T> {
  const end = performance.now() + guardMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`Waited in vain until: ${what}`);
    await sleep(5);
  }
}

/** A promise that is settled from outside. */
export interface Gate<T = void> {
  readonly promise: Promise<T>;
  open(value: T): void;
}

export function gate<T = void>(): Gate<T> {
  let open: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { promise, open: (value) => open(value) };
}

/** Resolves when the signal is aborted, with its reason. */
export function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    else signal.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });
}
