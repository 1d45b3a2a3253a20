import type { DriverProcess, TestDatabase } from './driver-harness.js';
import { endProcess, type Stage } from './stage.js';

/** A database of a test's own, and processes on it. All of it is gone after the test. */
interface EmptyDatabase<Tx> {
  readonly database: TestDatabase<Tx>;
  process(): Promise<DriverProcess<Tx>>;
}

export async function emptyDatabase<Tx>({ createDatabase, defer }: Stage<Tx>): Promise<EmptyDatabase<Tx>> {
  const database = await createDatabase();
  defer(() => database.close());
  return {
    database,
    async process() {
      const opened = await database.process();
      defer(() => endProcess(opened));
      return opened;
    },
  };
}
