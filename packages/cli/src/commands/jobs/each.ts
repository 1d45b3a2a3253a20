import { isDriverError, RowlockError } from '@rowlock/core';
import type { Session } from '../../command-context.js';
import { Failure, Misuse } from '../../failure.js';
import { jobs } from '../../output/values.js';
import { type Filter, filterOf } from './filter.js';

/** Changes the named jobs, one by one. One that cannot be changed does not keep the others from it. */
export async function each(
  { output, terminal, complaints }: Session,
  ids: readonly string[],
  filter: Filter,
  change: (id: string) => Promise<string>,
): Promise<void> {
  if (Object.keys(filterOf(filter)).length > 0)
    throw new Misuse('Pass ids, or the conditions of a filter, and not both.');
  let failed = 0;
  for (const [place, publicId] of ids.entries()) {
    if (terminal.signal.aborted)
      throw new Failure(`Stopped. The last ${jobs(ids.length - place)} stayed as they were.`);
    try {
      const outcome = await change(publicId);
      output.one({ publicId, outcome }, `Job ${publicId}: ${outcome}.`);
    } catch (error) {
      if (!(error instanceof RowlockError || isDriverError(error, 'LockTimeout'))) throw error;
      failed++;
      complaints.say(error);
    }
  }
  if (failed > 0) throw new Failure('');
}
