import { setTimeout as sleep } from 'node:timers/promises';

/** A net for what should never take long, in milliseconds. No test's outcome depends on how long it is. */
export const GUARD_MS = 60_000;

/** The same for what many runs take, which is long on a slow machine. */
export const LOAD_GUARD_MS = 240_000;

/** Between two looks, in milliseconds. */
const SHORTEST_MS = 5;
const LONGEST_MS = 100;

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

/**
 * Looks again and again until `look` finds something: for what only the server's tables tell. The pauses grow with the wait:
 * looks must not be a load on what they wait for.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  guardMs = GUARD_MS,
): Promise<T> {
  const began = performance.now();
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    const waitedMs = performance.now() - began;
    if (waitedMs > guardMs) throw new Error(`Waited in vain until: ${what}`);
    await sleep(Math.min(Math.max(SHORTEST_MS, waitedMs / 10), LONGEST_MS));
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
