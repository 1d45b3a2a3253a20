import { JobNotFoundError } from '@rowlock/core';
import {
  type Admitted,
  type FollowersLook,
  isSettled,
  MOST_FOLLOWED,
  type NamedJob,
  NEVER,
} from '@rowlock/core/driver';
import type { Place } from '../claims/statements/place.js';
import type { FollowerRow } from '../engine/rows.js';
import { isFollower, type JobRow } from '../jobs/job-row.js';

/**
 * The job as it is inserted: if one of the others is outstanding, the job waits for all of them.
 *
 * @throws JobNotFoundError
 */
export function following({ database, tx }: Place, job: JobRow, after: readonly string[]): JobRow {
  const { jobs, followers } = database.tables;
  const first = after.map((publicId) => {
    const [found] = jobs.findBy('publicId', publicId, tx);
    if (found === undefined) throw new JobNotFoundError(publicId);
    return found.value;
  });
  if (first.every(({ status }) => isSettled(status))) return job;
  const { publicId, availableAt } = job;
  for (const afterId of after) followers.insert(tx, () => ({ publicId, afterId, availableAt }));
  return { ...job, availableAt: NEVER.getTime(), due: false };
}

/** Uses SKIP LOCKED. */
export async function admit(place: Place, look: FollowersLook): Promise<Admitted> {
  const { database, tx } = place;
  const { jobs, followers } = database.tables;
  const candidates = candidatesOf(place, look);
  const queues = new Set<string>();
  let skipped = false;
  for (const publicId of candidates) {
    const [found] = jobs.findBy('publicId', publicId, tx);
    if (outstanding(place, publicId).length > 0) continue;
    if (found?.row.isFreeFor(tx) === false) {
      skipped = true;
      continue;
    }
    const over = followers.findBy('publicId', publicId, tx);
    for (const { row } of over) {
      await tx.lock(row);
      tx.write(row, undefined);
    }
    if (found === undefined || found.value.status !== 'new' || !isFollower(found.value)) continue;
    const availableAt = over[0]?.value.availableAt ?? database.clock.now();
    tx.take(found.row);
    tx.write(found.row, { ...found.value, availableAt, due: availableAt <= database.clock.now() });
    queues.add(found.value.queue);
  }
  const isFull = 'beyond' in look && candidates.length === MOST_FOLLOWED;
  return { queues: [...queues], last: isFull ? (candidates.at(-1) ?? null) : null, skipped, refused: [] };
}

function candidatesOf({ database, tx }: Place, look: FollowersLook): readonly string[] {
  const { followers } = database.tables;
  const found =
    'after' in look
      ? look.after.flatMap((afterId) => followers.findBy('afterId', afterId, tx))
      : followers.find(tx, ({ publicId }) => publicId > look.beyond);
  const ids = new Set(found.map(({ value }) => value.publicId));
  return [...ids].toSorted().slice(0, MOST_FOLLOWED);
}

/** The outstanding jobs for which a job waits. */
function outstanding({ database, tx }: Place, publicId: string): readonly NamedJob[] {
  const { jobs, followers } = database.tables;
  return followers
    .findBy('publicId', publicId, tx)
    .flatMap(({ value }: { value: FollowerRow }) => jobs.findBy('publicId', value.afterId, tx))
    .filter(({ value }) => !isSettled(value.status))
    .map(({ value }) => ({ publicId: value.publicId, kind: value.kind }));
}
