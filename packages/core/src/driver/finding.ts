import { messageOf } from '../is-error.js';
import { isDriverError } from './driver-error.js';

/** Something that is wrong with a database, or will be. */
export interface Finding extends Fault {
  /** The name of the check that has found it. */
  readonly check: string;
}

/** What a check has found. Each text is a sentence, or a few. */
export interface Fault {
  /**
   * `broken`: jobs stand still, fail or get lost, or workers do not start. `warning`: they may. `skipped`: the check
   * could not be made.
   */
  readonly severity: 'broken' | 'warning' | 'skipped';
  readonly what: string;
  /** Why it matters. */
  readonly why: string;
  /** What to do. */
  readonly remedy: string;
}

/** Checks by their names. Each returns what is wrong. */
export type Checks = Readonly<Record<string, () => Promise<readonly Fault[]>>>;

/**
 * Makes all of these checks. One that fails is a finding, and does not keep the others from their work.
 *
 * @returns What is wrong, in the order of the checks.
 */
export async function examined(checks: Checks): Promise<readonly Finding[]> {
  const found = await Promise.all(
    Object.entries(checks).map(async ([check, look]) => {
      const faults = await look().catch(skipped);
      return faults.map((fault) => ({ check, ...fault }));
    }),
  );
  return found.flat();
}

function skipped(error: unknown): readonly Fault[] {
  return [
    {
      severity: 'skipped',
      what: `This could not be checked: ${messageOf(error)}`,
      why: 'Something may be wrong there.',
      remedy: isDriverError(error, 'PermissionDenied')
        ? 'Use an account that may read it.'
        : 'Mend that first.',
    },
  ];
}
