import type { CaptureProblem, Fault } from '@rowlock/core/driver';
import type { Subject } from './subject.js';

const REMEDIES: Partial<Record<CaptureProblem['code'], string>> = {
  lost: 'Enqueue all rows again: `rowlock.captures.backfill()`.',
  table: 'Change the capture, the table or the rights, and call `rowlock.captures.apply()`.',
};

/** Compares the triggers of the program's captures with what they should be. */
export async function captures({
  rowlock,
  driver,
}: Pick<Subject, 'rowlock' | 'driver'>): Promise<readonly Fault[]> {
  if (driver.captures === undefined) return [];
  return (await rowlock.captures.check()).flatMap(({ name, problems }) =>
    problems.map(({ code, message }) => ({
      severity: 'broken',
      what: `The capture ${name}: ${message}`,
      why: 'Changes of the table do not become jobs, or others than the program means.',
      remedy: REMEDIES[code] ?? 'Call `rowlock.captures.apply()`.',
    })),
  );
}
