import type { Clock } from '../../clock.js';

/** What a promise that does not reject resolves with. Null if that takes longer than `ms` milliseconds. */
export function within<Value>(clock: Clock, ms: number, value: Promise<Value>): Promise<Value | null> {
  return new Promise((resolve) => {
    const stopTimer = clock.after(ms, () => resolve(null));
    void value.then((one) => {
      stopTimer();
      resolve(one);
    });
  });
}
