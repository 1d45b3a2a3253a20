import {
  createRowlock,
  type Logger,
  type Plugin,
  type Rowlock,
  type RowlockOptions,
  type Worker,
} from '@rowlock/core';
import {
  type MemoryDatabase,
  type MemoryDriver,
  type MemoryTransaction,
  memory,
} from '@rowlock/driver-memory';
import { onTestFinished } from 'vitest';

type Tx = MemoryTransaction;

export interface Stage {
  readonly driver: MemoryDriver;
  readonly database: MemoryDatabase;
  readonly rowlock: Rowlock<Tx>;
  /** Not started yet. */
  readonly worker: Worker<Tx>;
}

const nothing = (): void => {};
const silent: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** A Rowlock in memory, which is closed after the test. */
export async function stage(
  plugins: readonly Plugin<Tx>[],
  handlers: RowlockOptions<Tx>['handlers'] & object,
): Promise<Stage> {
  const driver = memory();
  const rowlock = createRowlock({ driver, handlers, plugins, log: silent });
  onTestFinished(() => rowlock.close());
  await rowlock.migrate();
  return { driver, database: driver.database, rowlock, worker: rowlock.worker() };
}

/** Resolves at the next settlement of this many jobs, once all listeners have it. */
export function settled(worker: Worker<Tx>, jobs = 1): Promise<void> {
  let left = jobs;
  return new Promise((resolve) => {
    const count = (_: unknown, endings: ReadonlyMap<string, unknown>): void => {
      left -= endings.size;
      if (left > 0) return;
      worker.off('settled', count);
      setImmediate(resolve);
    };
    worker.on('settled', count);
  });
}
