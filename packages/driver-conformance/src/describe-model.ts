import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { DriverUnderTest } from './describe-driver.js';
import type { DriverHarness, TestDatabase } from './driver-harness.js';
import { type ModelDatabase, openModelDatabase, property } from './model/property.js';

/** Opening a server's first database may take its time. */
const OPEN_MS = 120_000;

/** A net. */
const TEST_MS = 3_600_000;

/**
 * How long is looked, in milliseconds, at least and for each sequence, until what has been found is told: each shorter one that
 * is tried takes very long where a command waits for somebody for ever. A machine that is busy needs a minute for twenty.
 */
const LOOK_MS = { least: 120_000, each: 3_000 };

/**
 * Random sequences of everything that clients and workers ask of a driver, with crashes in between: each is done by a
 * small model and by the driver, and every answer must be the same, and the tables' rows. With several drivers their histories are
 * compared with each other in the same way. A driver's own test file calls this once.
 *
 * Read from the environment: `MODEL_RUNS`, how many sequences; `MODEL_SEED`, which; and `MODEL_PATH` with
 * `MODEL_REPLAY`, from a failure's report (`path`, `replayPath`): that one again.
 */
export function describeModel(...drivers: readonly DriverUnderTest<unknown>[]): void {
  const { MODEL_RUNS = '20', MODEL_PATH: path, MODEL_REPLAY } = process.env;
  // Several together play others than each alone.
  const { MODEL_SEED = String(drivers.length) } = process.env;
  describe(drivers.map(({ name }) => name).join(', '), () => {
    const harnesses: DriverHarness<unknown>[] = [];
    const databases: TestDatabase<unknown>[] = [];
    const modelDatabases: ModelDatabase[] = [];

    beforeAll(async () => {
      for (const { name, open } of drivers) {
        const harness = await open();
        harnesses.push(harness);
        const database = await harness.database();
        databases.push(database);
        modelDatabases.push(await openModelDatabase(name, database));
      }
    }, OPEN_MS);

    afterAll(async () => {
      await Promise.all(modelDatabases.map((modelDatabase) => modelDatabase.close()));
      await Promise.all(databases.map((database) => database.close()));
      await Promise.all(harnesses.map((harness) => harness.close()));
    }, OPEN_MS);

    test('does what the model does', { timeout: TEST_MS }, async () => {
      const [numRuns, seed] = [Number(MODEL_RUNS), Number(MODEL_SEED)];
      const replay = path === undefined ? {} : { path, endOnFailure: true };
      await fc.assert(property(modelDatabases, MODEL_REPLAY), {
        numRuns,
        seed,
        includeErrorInReport: true,
        interruptAfterTimeLimit: LOOK_MS.least + numRuns * LOOK_MS.each,
        markInterruptAsFailure: true,
        ...replay,
      });
    });
  });
}
