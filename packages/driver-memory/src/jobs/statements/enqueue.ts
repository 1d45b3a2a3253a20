import type { Enqueued } from '@rowlock/core';
import type { NewJob } from '@rowlock/core/driver';
import type { Place } from '../../claims/statements/place.js';
import { noteExpiry } from '../../expiry/statements.js';
import { following } from '../../followers/statements.js';
import { enqueued } from '../job-changes.js';
import { holderOfUniqueKey } from '../unique-key.js';

export async function enqueue(place: Place, jobs: readonly NewJob[]): Promise<readonly Enqueued[]> {
  const { database, tx } = place;
  const outcomes: Enqueued[] = [];
  for (const job of jobs) {
    const given = following(place, enqueued(job, database.clock.now()), job.after ?? []);
    const there = await holderOfUniqueKey(database.tables.jobs, tx, given);
    if (there === undefined) {
      database.tables.jobs.insert(tx, (id) => ({ ...given, id }));
      noteExpiry(place, given.publicId, job);
    }
    outcomes.push(
      there === undefined
        ? { outcome: 'enqueued', publicId: given.publicId }
        : { outcome: 'duplicate', publicId: there.publicId },
    );
  }
  return outcomes;
}
