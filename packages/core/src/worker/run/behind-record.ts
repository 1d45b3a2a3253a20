import { setImmediate } from 'node:timers/promises';
import type { Driver } from '../../driver/driver.js';
import { DriverError } from '../../driver/driver-error.js';
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
  flushed: () => Promise<void>,
): RunPart<Tx> {
  let isAsked = false;
  let isOver = false;
  const handle = driver.deferred(async () => {
    isAsked = true;
    await flushed();
    if (isOver)
      throw new DriverError('TransactionOver', "The run has ended, and with it the handler's transaction.");
    return tx.handle;
  });
  const asked = async (): Promise<void> => {
    await flushed();
    await setImmediate();
  };
  return {
    lost: tx.lost,
    handle,
    get used() {
      return tx.used;
    },
    /** What the handler has asked for and not waited for is part of what it wrote. */
    keep: () => (isAsked && !tx.used ? asked() : undefined),
    /** What still waits for the record is refused when that is there: nothing of it is done. */
    async undo() {
      isOver = true;
      // What was let through just now is on its way first.
      if (isAsked && !tx.used) await setImmediate();
      await tx.undo();
    },
  };
}
