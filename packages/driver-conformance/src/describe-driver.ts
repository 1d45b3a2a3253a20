import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conformanceThemes } from './conformance-tests.js';
import type { DriverHarness, DriverProcess, TestDatabase } from './driver-harness.js';
import { createStage, endProcess } from './stage.js';
import { until, within } from './until.js';

export interface DriverUnderTest<Tx> {
  readonly name: string;
  open(): Promise<DriverHarness<Tx>>;
}

/** Opening a server's first database may take its time. */
const OPEN_MS = 120_000;
/** A net for a test that hangs: time is left to undo what it did, so that it does not take others with it. */
const BODY_MS = 45_000;
const TEST_MS = 90_000;

/**
 * The tests that define what a driver is. A driver's own test file calls this once.
 *
 * @example
 * describeDriver({ name: 'postgres', open: openPostgresHarness });
 */
export function describeDriver<Tx>({ name, open }: DriverUnderTest<Tx>): void {
  describe(name, () => {
    let harness: DriverHarness<Tx> | undefined;
    let database: TestDatabase<Tx> | undefined;
    let shared: DriverProcess<Tx> | undefined;

    beforeAll(async () => {
      harness = await open();
      database = await harness.database();
      shared = await database.process();
      await shared.driver.migrate();
    }, OPEN_MS);

    afterAll(async () => {
      if (shared !== undefined) await endProcess(shared);
      await database?.close();
      await harness?.close();
    }, OPEN_MS);

    for (const theme of conformanceThemes) {
      describe(theme.name, () => {
        for (const { name: testName, run } of theme.tests) {
          test(testName, { timeout: TEST_MS }, async () => {
            if (harness === undefined || database === undefined || shared === undefined) {
              throw new Error('There is no database.');
            }
            const { stage, end } = createStage(database, shared.driver, harness.database);
            try {
              await within('the end of the test', run(stage), BODY_MS);
            } finally {
              await end();
            }
            await noLeaks(database);
          });
        }
      });
    }
  });
}

/** The server notices the end of a connection a little after the client. */
async function noLeaks<Tx>(database: TestDatabase<Tx>): Promise<void> {
  let leaks: readonly string[] = [];
  await until('nothing is left open', async () => {
    leaks = [];
    leaks = await database.leaks();
    return leaks.length === 0;
  }).catch((error: unknown) => {
    expect(leaks, 'transactions or connections that the test left open').toEqual([]);
    throw error;
  });
}
