/** The queues and the kinds of which a viewer sees and does something. Null: all. A job needs to be in both. */
export interface Scope {
  readonly queues: readonly string[] | null;
  readonly kinds: readonly string[] | null;
}

export const WHOLE: Scope = { queues: null, kinds: null };

export function isWhole({ queues, kinds }: Scope): boolean {
  return queues === null && kinds === null;
}

/** Whether nothing can be in it. */
export function isEmpty({ queues, kinds }: Scope): boolean {
  return queues?.length === 0 || kinds?.length === 0;
}

export function isInScope({ queues, kinds }: Scope, job: { queue: string; kind: string }): boolean {
  return (queues?.includes(job.queue) ?? true) && (kinds?.includes(job.kind) ?? true);
}

/** Conditions on queues and kinds. */
interface Conditions {
  readonly queue?: string | readonly string[];
  readonly kind?: string | readonly string[];
}

/** The same conditions for what is in the scope. Null where nothing of it is. */
export function inScope<Given extends Conditions>({ queues, kinds }: Scope, given: Given): Given | null {
  const [queue, kind] = [both(queues, given.queue), both(kinds, given.kind)];
  if (queue?.length === 0 || kind?.length === 0) return null;
  return {
    ...given,
    ...(queue !== undefined && { queue: short(queue) }),
    ...(kind !== undefined && { kind: short(kind) }),
  };
}

function both(
  allowed: readonly string[] | null,
  wanted: string | readonly string[] | undefined,
): readonly string[] | undefined {
  const names = typeof wanted === 'string' ? [wanted] : wanted;
  if (allowed === null || names === undefined) return allowed ?? names;
  return names.filter((name) => allowed.includes(name));
}

/** A single name finds its jobs in the order of an index. */
function short(names: readonly string[]): string | readonly string[] {
  const [only = '', ...more] = names;
  return more.length === 0 ? only : names;
}

/** Work that can be paused, by its name. That of all is empty. */
export interface Work {
  readonly scope: 'queue' | 'kind' | 'limit' | 'all';
  readonly name: string;
}

/** Whether all of some work is in the scope, so that its viewer may pause it. */
export function isOwnWork({ queues, kinds }: Scope, { scope, name }: Work): boolean {
  if (queues === null && kinds === null) return true;
  if (scope === 'queue') return kinds === null && queues?.includes(name) === true;
  return scope === 'kind' && queues === null && kinds?.includes(name) === true;
}
