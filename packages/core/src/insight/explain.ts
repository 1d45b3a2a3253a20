import { JobNotFoundError } from '../errors.js';
import type { State } from '../job/lifecycle.js';
import type { Reason } from './reason.js';
import { reasonsOf, spelled } from './reasons.js';
import { type Looking, lookAt, MOST_BEFORE } from './surroundings.js';

/** Why a job does not run. */
export interface Explanation {
  readonly publicId: string;
  /** The state, as `find` shows it. */
  readonly status: State;
  /** When it was so, by the database's clock. */
  readonly at: Date;
  /** All that keep it from running. None: the next claim of an idle worker takes it. */
  readonly reasons: readonly Reason[];
}

/** @throws JobNotFoundError, InvalidInputError, DriverError */
export async function explain(driver: Looking, publicId: string): Promise<Explanation> {
  const around = await lookAt(driver, { publicIds: [publicId], mostBefore: MOST_BEFORE + 1 });
  const job = around.jobs.find((each) => each.publicId === publicId);
  if (job === undefined) throw new JobNotFoundError(publicId);
  const status = job.run === null ? job.status : 'in-progress';
  return { publicId, status, at: around.now, reasons: [...reasonsOf(job, around)].map(spelled) };
}
