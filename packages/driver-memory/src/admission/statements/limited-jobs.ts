import {
  type HoldingRun,
  isSettled,
  type LimitedJob,
  type LimitedJobs,
  type LimitedJobsBounds,
  type LimitInUse,
  limitsInUse,
  NO_LIMITS,
} from '@rowlock/core/driver';
import type { Place } from '../../claims/statements/place.js';
import type { JobRow } from '../../jobs/job-row.js';
import { isAlive } from '../../workers/statements/anchor.js';
import { isFree, limitSettings } from './limits.js';

/** The most limits, or rates, that are returned, and the fewest jobs of a part that are counted. */
const MOST_NAMES = 1_000;
const LEAST = 10;

export function limitedJobs(place: Place, bounds: LimitedJobsBounds): LimitedJobs {
  const { database, tx } = place;
  const now = database.clock.now();
  const jobs = database.tables.jobs
    .find(tx, ({ status, limits }) => limits !== NO_LIMITS && (status === 'new' || status === 'in-progress'))
    .map(({ value }) => value);
  const due = jobs.filter((job) => job.status === 'new' && job.due && job.availableAt <= now);
  const parts = [...Map.groupBy(due, ({ queue, limits }) => `${queue}\n${limits}`)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, bounds.parts)
    .map(([, ofPart]) => ofPart);
  const share = Math.max(LEAST, Math.floor(bounds.counted / parts.length));
  return {
    parts: parts.flatMap((ofPart) => {
      const counted = Math.min(ofPart.length, share);
      const [one] = ofPart;
      if (one === undefined) return [];
      return { queue: one.queue, limits: one.limits, due: counted, more: counted < ofPart.length };
    }),
    held: jobs.flatMap((job) => limitedJob(place, job)),
  };
}

function limitedJob(place: Place, job: JobRow): readonly LimitedJob[] {
  const run = runOf(place, job);
  const { publicId, kind, queue, limits, status } = job;
  return run === null ? [] : [{ publicId, kind, queue, limits, run, due: status === 'new' }];
}

/** The run that has a job: of a live worker, or by a lease. */
function runOf(place: Place, { id, status, runId }: JobRow): HoldingRun | null {
  const { database, tx } = place;
  const last = database.tables.runs.findBy('jobId', id, tx).at(-1)?.value;
  if (isSettled(status)) return null;
  const alive = last?.finishedAt === null && isAlive(place, last.workerId);
  if (!alive && status === 'new') return null;
  const worker = last && database.tables.workers.findBy('id', last.workerId, tx)[0]?.value;
  return {
    runId: last?.runId ?? runId ?? '',
    worker: worker?.info.name ?? null,
    since: last === undefined ? null : new Date(last.startedAt),
    alive,
  };
}

/** A slot that is new in an open transaction counts too, as a lock does. */
export function limits(place: Place, names?: readonly string[]): readonly LimitInUse[] {
  const { database, tx } = place;
  const { limitSlots, rates } = database.tables;
  const now = database.clock.now();
  const all = limitSlots.rows.flatMap((row) => row.versions().flatMap((slot) => slot?.name ?? []));
  const slots = [...new Set(names ?? all)].toSorted().map((name) => ({
    name,
    taken: limitSlots.rowsBy('name', name).filter((row) => !isFree(row, now)).length,
  }));
  const starts = rates
    .find(tx, ({ name }) => names?.includes(name) ?? true)
    .map(({ value }) => ({ name: value.name, nextInUs: value.nextUs - now * 1_000 }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return limitsInUse(limitSettings(place, names), slots.slice(0, MOST_NAMES), starts.slice(0, MOST_NAMES));
}
