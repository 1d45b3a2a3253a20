import type { Settlement } from '../driver/driver.js';
import type { Job } from '../job/job.js';
import { TRANSITIONS } from '../job/lifecycle.js';
import type { Logger } from '../logger.js';
import type { Run } from './run.js';

/**
 * Tells of each job of a run that ended in an error, and of each that is to be tried again, unless its handler threw: that was told
 * when it did.
 */
export function tellFailures<Tx>(log: Logger, run: Run<Tx>, settlements: readonly Settlement[]): void {
  for (const [place, { event, attempt, error }] of settlements.entries()) {
    const job = run.jobs[place];
    if (job === undefined) continue;
    const facts = (): object => ({ ...factsOf(run, job), attempt, error });
    if (TRANSITIONS[event].to === 'error') log.error({ ...facts(), ...thrownBy(run, job) }, 'a job failed');
    else if (event === 'retry' && run.thrown === null) log.warn(facts(), 'a job failed, and is tried again');
  }
}

function factsOf<Tx>({ info: { processId, queue, kind, key } }: Run<Tx>, { publicId }: Job): object {
  return { publicId, processId, queue, kind, key };
}

/** What was thrown at the last attempt, with its stack. */
function thrownBy<Tx>({ thrown, endings }: Run<Tx>, { id }: Job): object {
  const isThrown = thrown !== null && endings !== 'release' && endings.get(id)?.event === 'retry';
  return isThrown ? { err: thrown.error } : {};
}
