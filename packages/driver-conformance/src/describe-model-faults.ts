import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DriverUnderTest } from './describe-driver.js';
import { faults } from './model/faults.js';
import { openModelDatabase, property } from './model/property.js';

/** Within how many sequences each fault must be found. */
const MOST_RUNS = 500;

/** A shorter sequence is not looked for: that takes longer than to find one. */
const AS_FOUND = { endOnFailure: true } as const;

/** A net. */
const TEST_MS = 600_000;

/** Drivers broken on purpose, each of which `describeModel` would find: for a database on which that is quick. */
export function describeModelFaults<Tx>({ name, open }: DriverUnderTest<Tx>): void {
  describe(`${name}: the model finds, and can find again,`, () => {
    for (const fault of faults) {
      test(fault.name, { timeout: TEST_MS }, async () => {
        const harness = await open();
        const database = await harness.database();
        const modelDatabase = await openModelDatabase(name, database, fault.breaks());
        try {
          const found = await fc.check(property([modelDatabase]), {
            numRuns: MOST_RUNS,
            seed: 1,
            ...AS_FOUND,
          });
          expect(found.failed).toBe(true);
          const [sequence] = found.counterexample ?? [];
          const [, replayPath = ''] = /replayPath="([^"]+)"/.exec(String(sequence)) ?? [];
          const replay = { seed: found.seed, path: found.counterexamplePath ?? '', ...AS_FOUND };
          const again = await fc.check(property([modelDatabase], replayPath), replay);
          expect(again).toMatchObject({ failed: true, numRuns: 1 });
          const commands = [...(sequence ?? [])].length;
          process.stdout.write(
            `${name}: ${fault.name}: found in sequence ${found.numRuns}, ${commands} commands\n`,
          );
        } finally {
          await modelDatabase.close();
          await database.close();
          await harness.close();
        }
      });
    }
  });
}
