import type { AuditDetails, AuditedAction } from '../driver/audit.js';
import type { JobFilter } from '../driver/job-filter.js';
import type { SchedulePlan } from '../driver/schedule-store.js';
import { type Enqueueable, QUEUE } from '../handler/enqueueable.js';
import type { Enqueued } from '../job/job.js';
import type { Json } from '../job/json.js';

/** How many public ids an entry has at most. The others are counted. */
const MOST_IDS = 100;

/** Null where nothing was enqueued, as each was there already. */
export function enqueueOnRecord(
  { kind, queue = QUEUE }: Pick<Enqueueable, 'kind' | 'queue'>,
  outcomes: readonly Enqueued[],
): AuditedAction | null {
  const made = outcomes.filter(({ outcome }) => outcome !== 'duplicate').map(({ publicId }) => publicId);
  const [first] = made;
  if (first === undefined) return null;
  if (made.length === 1) return { action: 'enqueue', scope: 'job', name: first, details: { kind, queue } };
  return { action: 'enqueue', scope: 'jobs', name: '', details: { kind, queue, ...idsOnRecord(made) } };
}

/** The names of what was changed, and the queue to which a job was moved. */
export function changesOnRecord(changes: { readonly queue?: string }): AuditDetails {
  const fields = Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return { fields, ...(changes.queue !== undefined && { queue: changes.queue }) };
}

/** A schedule without its payload, its metadata and its key. */
export function planOnRecord({ job: { kind, queue }, timing }: SchedulePlan): AuditDetails {
  const times =
    'cron' in timing ? { cron: timing.cron, timeZone: timing.timeZone } : { everyMs: timing.everyMs };
  return { kind, queue, ...times };
}

/** A filter. Of conditions on payloads and on the texts of errors, which may quote payloads, the names alone. */
export function filterOnRecord(filter: JobFilter): AuditDetails {
  const { publicIds, error, payload, created, settled, due, ...others } = filter;
  const times = Object.entries({ created, settled, due }).flatMap(([name, range]): [string, Json][] =>
    range === undefined ? [] : [[name, JSON.parse(JSON.stringify(range))]],
  );
  return {
    ...JSON.parse(JSON.stringify(others)),
    ...Object.fromEntries(times),
    ...(publicIds !== undefined && idsOnRecord(publicIds)),
    ...(error?.code !== undefined && { errorCode: error.code }),
    ...(error?.text !== undefined && { errorText: true }),
    ...(payload !== undefined && { payload: Object.keys(payload) }),
  };
}

function idsOnRecord(publicIds: readonly string[]): AuditDetails {
  return { ids: publicIds.slice(0, MOST_IDS), count: publicIds.length };
}
