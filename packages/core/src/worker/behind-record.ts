import { setImmediate } from 'node:timers/promises';
import type { Driver } from '../driver/driver.js';
import type { RunPart } from './shared-transaction.js';

/** What a run by itself needs of its transaction. */
type Alone<Tx> = Omit<RunPart<Tx>, 'keep'>;

/**
 * The same transaction for a handler that begins while its run's record is on its way to the disk: its statements wait for that, so
 * that one which brings the server down is counted.
 */
export function behindRecord<Tx>(
  driver: Pick<Driver<Tx>, 'deferred'>,
  tx: Alone<Tx>,
  flushed: Promise<void>,
): RunPart<Tx> {
  let isAsked = false;
  const handle = driver.deferred(async () => {
    isAsked = true;
    await flushed;
    return tx.handle;
  });
  /** What the handler has asked for and not waited for is part of what it wrote. */
  const asked = async (): Promise<void> => {
    if (!isAsked || tx.used) return;
    await flushed;
    await setImmediate();
  };
  return {
    lost: tx.lost,
    handle,
    get used() {
      return tx.used;
    },
    keep: asked,
    async undo() {
      // What waited in vain was not done. A lease is this run's all the same, and is to be settled.
      await asked().catch(() => {});
      await tx.undo();
    },
  };
}
