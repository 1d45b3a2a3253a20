import { setTimeout as sleep } from 'node:timers/promises';

/** Strikes again and again, with pauses of so many milliseconds between two strikes. Returns the end of it. */
export function again(
  pauseMs: () => number,
  strike: (over: AbortSignal) => Promise<unknown>,
): () => Promise<void> {
  const over = new AbortController();
  const running = (async () => {
    while (!over.signal.aborted) {
      await strike(over.signal);
      await pause(pauseMs(), over.signal);
    }
  })();
  // Told at the end.
  running.catch(() => {});
  return async () => {
    over.abort();
    await running;
  };
}

/** Sleeps; shorter when it is over. */
export async function pause(ms: number, over: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: over }).catch(() => {});
}
