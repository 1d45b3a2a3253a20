import type { Driver } from '../driver/driver.js';
import type { RunPart } from './shared-transaction.js';

/** What a run by itself needs of its transaction. */
export type Alone<Tx> = Omit<RunPart<Tx>, 'keep'>;

/**
 * The same transaction for a handler that begins while its run's record is being committed: its statements wait for that, so that one
 * which brings the server down is counted.
 */
export function behindRecord<Tx>(
  driver: Pick<Driver<Tx>, 'deferred'>,
  tx: Alone<Tx>,
  committed: Promise<void>,
): Alone<Tx> {
  const handle = driver.deferred(async () => {
    await committed;
    return tx.handle;
  });
  return {
    lost: tx.lost,
    handle,
    get used() {
      return tx.used;
    },
    undo: () => tx.undo(),
  };
}
