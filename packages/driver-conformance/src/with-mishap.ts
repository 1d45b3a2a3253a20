import { expect } from 'vitest';
import type { Impossible, Mishaps, TestDatabase } from './driver-harness.js';
import { createStage, endProcess, type Stage } from './stage.js';

/** A stage on a database of its own, and a mishap that may come to it. */
export interface StageWithMishap<Tx, Mishap> {
  readonly stage: Stage<Tx>;
  readonly mishap: Mishap;
}

/** Undefined where the mishap cannot come to a database: the harness has a reason for that. */
export async function withMishap<Tx, Mishap extends (...given: never[]) => Promise<void>>(
  { createDatabase, defer }: Stage<Tx>,
  of: (mishaps: Mishaps) => Mishap | Impossible,
): Promise<StageWithMishap<Tx, Mishap> | undefined> {
  const database: TestDatabase<Tx> = await createDatabase();
  defer(() => database.close());
  const mishap = of(database.mishaps);
  if (typeof mishap !== 'function') {
    expect(mishap.because.length, 'a reason').toBeGreaterThan(10);
    return undefined;
  }
  const opened = await database.process();
  defer(() => endProcess(opened));
  await opened.driver.schema.migrate();
  const { stage, end } = createStage(database, opened.driver, createDatabase);
  defer(end);
  return { stage, mishap };
}
