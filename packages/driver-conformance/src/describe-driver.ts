import { afterAll, beforeAll, describe, test } from 'vitest';
import { conformanceThemes } from './conformance-tests.js';
import type { DriverHarness, DriverProcess, TestDatabase } from './driver-harness.js';
import { noLeaks } from './no-leaks.js';
import { createStage, endProcess } from './stage.js';
import { type SuitePart, themesOf } from './suite-part.js';
import { within } from './until.js';

export interface DriverUnderTest<Tx> {
  readonly name: string;
  open(): Promise<DriverHarness<Tx>>;
  /** The names of the themes to run, where it is not the whole suite. */
  readonly themes?: readonly string[];
  /** The part of the suite to run, so that several files run it at the same time. Default: the whole suite. */
  readonly part?: SuitePart;
}

/** Opening a server's first database may take its time. */
const OPEN_MS = 120_000;
/** A net for a test that hangs: time is left to undo what it did, so that it does not take others with it. */
const BODY_MS = 240_000;
const TEST_MS = 600_000;

/**
 * The tests that define what a driver is. A driver's own test file calls this once.
 *
 * @example
 * describeDriver({ name: 'postgres', open: openPostgresHarness });
 */
export function describeDriver<Tx>({
  name,
  open,
  themes,
  part = { number: 1, of: 1 },
}: DriverUnderTest<Tx>): void {
  describe(name, () => {
    let harness: DriverHarness<Tx> | undefined;
    let database: TestDatabase<Tx> | undefined;
    let shared: DriverProcess<Tx> | undefined;

    beforeAll(async () => {
      harness = await open();
      database = await harness.database();
      shared = await database.process();
      await shared.driver.schema.migrate();
    }, OPEN_MS);

    afterAll(async () => {
      if (shared !== undefined) await endProcess(shared);
      await database?.close();
      await harness?.close();
    }, OPEN_MS);

    for (const theme of themesOf(conformanceThemes, part)) {
      if (themes?.includes(theme.name) === false) continue;
      describe(theme.name, () => {
        for (const { name: testName, run, about } of theme.tests) {
          test(testName, { timeout: TEST_MS }, async ({ skip }) => {
            if (harness === undefined || database === undefined || shared === undefined) {
              throw new Error('There is no database.');
            }
            if (about !== undefined && shared.driver[about] === undefined)
              skip(`The driver ${shared.driver.name} has no ${about}.`);
            const { stage, end } = createStage(database, shared.driver, harness.database);
            const failures: unknown[] = [];
            const note = (error: unknown) => failures.push(error);
            await within('the end of the test', run(stage), BODY_MS).catch(note);
            await end().catch(note);
            if (failures.length > 1) throw new AggregateError(failures, String(failures[0]));
            if (failures.length > 0) throw failures[0];
            await noLeaks(database);
          });
        }
      });
    }
  });
}
