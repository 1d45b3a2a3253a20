import type { AuditDetails, AuditEntry } from '@rowlock/core/types';
import { isInScope, type Scope } from '../scope.js';

/** What of the page's names is in the scope. */
interface Seen {
  readonly jobs: ReadonlySet<string>;
  readonly schedules: ReadonlySet<string>;
}

/** The jobs that an entry names, by their public ids. */
export function jobsIn({ scope, name, details: { job } }: AuditEntry): readonly string[] {
  return [...(scope === 'job' ? [name] : []), ...(typeof job === 'string' ? [job] : [])];
}

/** The entries of a page that are all about a scope, or about all work. A page has fewer then, and the next one goes on. */
export function auditIn(scope: Scope, entries: readonly AuditEntry[], seen: Seen): readonly AuditEntry[] {
  return entries
    .filter((entry) => isAbout(scope, entry, seen))
    .map((entry) => ({ ...entry, details: detailsIn(scope, entry.details, seen) }));
}

function isAbout(scope: Scope, { scope: what, name, details }: AuditEntry, seen: Seen): boolean {
  switch (what) {
    case 'job':
      return seen.jobs.has(name);
    case 'jobs':
      return isLane(scope, Object(details.filter ?? details));
    case 'queue':
      return scope.queues?.includes(name) ?? false;
    case 'kind':
      return scope.kinds?.includes(name) ?? false;
    case 'schedule':
      // One of this name may have been of others.
      return details.kind === undefined ? seen.schedules.has(name) : isLane(scope, details);
    // Other queues may have the same.
    case 'limit':
    case 'error':
      return false;
    case 'all':
      return true;
  }
}

/** Whether conditions, or what was enqueued, are in the scope with each of their queues and kinds. */
function isLane(
  scope: Scope,
  { queue, kind }: { readonly queue?: unknown; readonly kind?: unknown },
): boolean {
  const queues = scope.queues === null ? [''] : textsIn(queue);
  const kinds = scope.kinds === null ? [''] : textsIn(kind);
  const lanes = queues.flatMap((each) => kinds.map((other) => ({ queue: each, kind: other })));
  return lanes.length > 0 && lanes.every((lane) => isInScope(scope, lane));
}

function textsIn(value: unknown): readonly string[] {
  return [value].flat().filter((each) => typeof each === 'string');
}

/** What was done to a job of the scope may name another queue, or another job. */
function detailsIn(scope: Scope, details: AuditDetails, seen: Seen): AuditDetails {
  const { ids, queue, job, filter, ...others } = details;
  const hasQueue = typeof queue === 'string' && (scope.queues?.includes(queue) ?? true);
  return {
    ...others,
    ...(hasQueue && { queue }),
    ...(typeof job === 'string' && seen.jobs.has(job) && { job }),
    ...(filter !== undefined && { filter: { ...Object(filter), ids: undefined } }),
  };
}
