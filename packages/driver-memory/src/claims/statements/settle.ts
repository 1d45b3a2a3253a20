import type { State } from '@rowlock/core';
import { type JobId, type Settlement, storableJson } from '@rowlock/core/driver';
import { settled } from '../../jobs/job-changes.js';
import type { Place } from './place.js';
import { endRuns, recordsOf } from './runs.js';

/** Writes those settlements whose row this transaction has locked. A complete job's row names its run, whose record needs no end. */
export async function settle(
  place: Place,
  settlements: readonly Settlement[],
  from: State,
): Promise<readonly JobId[]> {
  const { database, tx } = place;
  const written: JobId[] = [];
  for (const settlement of settlements) {
    const { id, runId, event, error } = settlement;
    const found = database.tables.jobs.findBy(
      'id',
      id,
      tx,
      ({ status }, row) => status === from && row.holder === tx,
    );
    for (const { row, value } of found) {
      tx.write(row, settled(value, settlement, database.clock.now()));
      // Ends even a run that was noted as ended: the settlement decides.
      if (event !== 'complete')
        await endRuns(place, recordsOf(place, { runId, jobs: [id] }), {
          outcome: event,
          error: error === null ? null : storableJson(error),
        });
      written.push(id);
    }
  }
  return written;
}
