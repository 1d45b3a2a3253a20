import { type Front, type FrontJob, type FrontQuestion, isSettled, NO_LIMITS } from '@rowlock/core/driver';
import { isFollower, type JobRow } from '../job-row.js';
import { outstanding } from './followers.js';
import type { Place } from './place.js';
import { firstOutstanding, runsNow } from './siblings.js';
import { named, runOf } from './situation.js';

export function front(place: Place, { queue, limit, after }: FrontQuestion): Front {
  const { database, tx } = place;
  const now = database.clock.now();
  const jobs = database.tables.jobs
    .findBy('queue', queue, tx, ({ status }) => !isSettled(status))
    .map(({ value }) => value);
  const due = inOrder(jobs.filter((job) => job.status === 'new' && job.due));
  const plain = due.filter(({ limits }) => limits === NO_LIMITS).slice(0, limit);
  const parts = Map.groupBy(
    due.filter(({ limits }) => limits !== NO_LIMITS),
    ({ limits }) => limits,
  );
  const share = Math.max(1, Math.floor(limit / parts.size));
  const delayed = jobs.filter((job) => job.status === 'new' && !job.due);
  const found = [
    ...jobs.filter(({ status }) => status === 'in-progress'),
    ...inOrder([...plain, ...[...parts.values()].flatMap((part) => part.slice(0, share))]),
    ...delayed.toSorted((one, other) => one.availableAt - other.availableAt),
  ].slice(0, limit);
  const keys = new Set(found.flatMap(({ key }) => key ?? []));
  const firsts = [...keys].flatMap(
    (key) => jobs.find((job) => job.key === key && runsNow(job, queue, now)) ?? [],
  );
  const shown = [...new Set([...found, ...firsts])];
  return {
    now: new Date(now),
    jobs: shown.map((job) => frontJob(place, job, after)),
    more: shown.length < jobs.length,
  };
}

function frontJob(place: Place, job: JobRow, after: FrontQuestion['after']): FrontJob {
  const { id, key, kind, priority, limits, status, due, availableAt } = job;
  const kinds = after[kind] ?? [];
  const first = key === null ? undefined : firstOutstanding(place, { key, kinds, before: id, except: [] });
  return {
    ...named(job),
    id,
    key,
    priority,
    limits,
    status,
    due,
    availableAt: new Date(availableAt),
    run: runOf(place, job),
    followed: isFollower(job) ? (outstanding(place, job.publicId)[0]?.publicId ?? null) : null,
    dependency: first === undefined ? null : publicIdOf(place, first),
  };
}

function publicIdOf({ database, tx }: Place, id: JobRow['id']): string | null {
  return database.tables.jobs.findBy('id', id, tx)[0]?.value.publicId ?? null;
}

function inOrder(jobs: readonly JobRow[]): readonly JobRow[] {
  return jobs.toSorted((one, other) => one.priority - other.priority || Number(one.id - other.id));
}
