import { growingEntry } from '../audit/growing-entry.js';
import { filterOnRecord } from '../audit/on-record.js';
import { apart, type Refused, refusalOfMany } from '../driver/apart.js';
import type { AuditAction, AuditDetails } from '../driver/audit.js';
import { isDriverError } from '../driver/driver-error.js';
import { type JobFilter, type JobIds, listed } from '../driver/job-filter.js';
import type { JobUpdate } from '../driver/jobs.js';
import type { WakeUp } from '../driver/wake-up.js';
import { InvalidInputError } from '../errors.js';
import { checkWhole, LIMITS } from '../input.js';
import type { JobId } from '../job/job.js';
import { OUTSTANDING, SETTLED, type State } from '../job/lifecycle.js';
import { checkOptions } from '../known-options.js';
import { shown } from '../shown.js';
import type { Calls } from './calls.js';
import { checkFilter } from './check-filter.js';
import { LOOK } from './look.js';
import { joinedVerbs, type ManyVerbs, pooledVerbs } from './many-verbs.js';

export interface ManyOptions {
  /** Only finds the jobs, and changes none. Default false. */
  readonly dryRun?: boolean;
  /** How many jobs to find at most, the newest ones. Default: all. */
  readonly most?: number;
  /** Ends the work after the step that is on its way. Earlier steps stay. */
  readonly signal?: AbortSignal;
  /** Called after each step, of at most 100 jobs, with the sums so far. */
  readonly onProgress?: (progress: ManyChanged) => void;
}

/** What became of the jobs that a filter has found. */
export interface ManyChanged {
  /** How many jobs the filter has found. */
  readonly found: number;
  /** How many are cancelled, redriven, updated or deleted now. */
  readonly changed: number;
  /** How many are held by a worker, which has got the cancellation: see `cancel`. */
  readonly signalled: number;
  /** How many have stayed as they were: another transaction had them, or changed them, or has their unique key. */
  readonly skipped: number;
}

/** What a call does to many jobs. */
export interface ManyAction {
  readonly action: AuditAction;
  /** The states that it starts from. */
  readonly from: readonly State[];
  /** Those of `from` that a filter without a status means. Default: all. */
  readonly unless?: readonly State[];
  /** What an entry of the audit says of it, beside the filter. Default: nothing. */
  readonly details?: AuditDetails;
  /** Changes some jobs. */
  act(verbs: ManyVerbs, jobs: readonly JobIds[]): Promise<Acted>;
}

interface Acted {
  readonly changed: number;
  /** Default 0. */
  readonly signalled?: number;
  /** What the database has refused, for a reason of its own. */
  readonly refused: readonly Refused<JobIds>[];
}

/** How many jobs are changed between two looks at the signal. One statement moves so many. */
const STEP = 100;

const OPTIONS: readonly string[] = ['dryRun', 'most', 'signal', 'onProgress'] satisfies (keyof ManyOptions)[];

/**
 * A job that the database refuses to change holds up no other one.
 *
 * @throws InvalidInputError; DriverError, also when all is done but for refused jobs; the reason of the signal
 */
export async function changeMany<Tx>(
  calls: Calls<Tx>,
  action: ManyAction,
  jobs: JobFilter,
  options: ManyOptions,
): Promise<ManyChanged> {
  const store = calls.shared;
  checkOptions('The last argument', options, OPTIONS);
  const { dryRun = false, most = Number.POSITIVE_INFINITY, signal, onProgress } = options;
  const filter = filterOf(jobs, action);
  if (most !== Number.POSITIVE_INFINITY) checkWhole('most', most, 1, Number.MAX_SAFE_INTEGER);
  const step = stepOf(calls, action, filter);
  let sums: ManyChanged = { found: 0, changed: 0, signalled: 0, skipped: 0 };
  // From the newest job at the beginning to the oldest: jobs that come meanwhile are not met, nor those that were changed.
  let before: JobId | null = null;
  const all: Refused<JobIds>[] = [];
  do {
    signal?.throwIfAborted();
    const limit = Math.min(LIMITS.page, most - sums.found);
    const page = await store.ids(filter, { limit, before, look: LOOK });
    for (let place = 0; place < page.jobs.length; place += STEP) {
      signal?.throwIfAborted();
      const some = page.jobs.slice(place, place + STEP);
      const { changed, signalled = 0, refused } = dryRun ? NOTHING : await step(some);
      const skipped = dryRun ? 0 : some.length - changed - signalled;
      all.push(...refused);
      sums = {
        found: sums.found + some.length,
        changed: sums.changed + changed,
        signalled: sums.signalled + signalled,
        skipped: sums.skipped + skipped,
      };
      onProgress?.(sums);
    }
    before = page.next;
  } while (before !== null && sums.found < most);
  const [first] = all;
  if (first !== undefined) throw refusalOfMany(all.length, first.member.publicId, first.error);
  return sums;
}

const NOTHING: Acted = { changed: 0, refused: [] };

function stepOf<Tx>(
  calls: Calls<Tx>,
  { action, act, details }: ManyAction,
  filter: JobFilter,
): (jobs: readonly JobIds[]) => Promise<Acted> {
  if (calls.operator === null) return (jobs) => act(pooledVerbs(calls.shared), jobs);
  const onRecord = { action, details: { ...details, filter: filterOnRecord(filter) } };
  const step = growingEntry(calls, onRecord);
  return async (jobs) => {
    // What refuses one job undoes the transaction, so the others are done without it.
    const { answers, refused } = await apart(jobs, (some) =>
      step((joined) => act(joinedVerbs(joined), some)),
    );
    return {
      changed: answers.reduce((sum, { changed }) => sum + changed, 0),
      signalled: answers.reduce((sum, { signalled = 0 }) => sum + signalled, 0),
      refused: refused.filter(({ error }) => !isDriverError(error, 'UniqueViolation')),
    };
  };
}

/** @throws InvalidInputError */
function filterOf(jobs: JobFilter, { from, unless = from }: ManyAction): JobFilter {
  const filter = checkFilter(Object(jobs));
  if (Object.keys(filter).length === 0)
    throw new InvalidInputError("A filter is required, with one condition at least: { kind: 'mail.send' }.");
  const states = listed(filter.status) ?? unless;
  const other = states.find((state) => !from.includes(state));
  if (other !== undefined)
    throw new InvalidInputError(`status must be of ${from.join(', ')} here, not ${shown(other)}.`);
  return { ...filter, status: states };
}

/** A job that a worker holds gets a cancellation. */
export const CANCEL: ManyAction = {
  action: 'cancel',
  from: OUTSTANDING,
  async act(verbs, jobs) {
    const { answers: moves, refused } = await verbs.move('cancel', jobs);
    const wakeUps = moves.flatMap((moved, place): readonly WakeUp[] => {
      const publicId = jobs[place]?.publicId;
      return moved?.outcome === 'running' && publicId !== undefined
        ? [{ cancel: publicId, redrives: moved.redrives }]
        : [];
    });
    if (wakeUps.length > 0) await verbs.notify(wakeUps);
    return { changed: countOf(moves, 'moved'), signalled: wakeUps.length, refused };
  },
};

export const REDRIVE: ManyAction = {
  action: 'redrive',
  from: ['error', 'cancelled'],
  unless: ['error'],
  async act(verbs, jobs) {
    const { answers, refused } = await verbs.move('redrive', jobs);
    const changed = countOf(answers, 'moved');
    if (changed > 0) await verbs.wake();
    return { changed, refused };
  },
};

/** Changes waiting jobs, each unless another transaction has it. */
export function updating(changes: JobUpdate, details: AuditDetails): ManyAction {
  return {
    action: 'update',
    from: changes.from,
    details,
    async act(verbs, jobs) {
      const { answers, refused } = await verbs.update(changes, jobs);
      const changed = countOf(answers, 'updated');
      if (changed > 0) await verbs.wake();
      return { changed, refused };
    },
  };
}

export const DELETE: ManyAction = {
  action: 'delete',
  from: SETTLED,
  async act(verbs, jobs) {
    const { removed, refused } = await verbs.remove(jobs);
    return { changed: removed, refused };
  },
};

function countOf(answers: readonly ({ readonly outcome: string } | undefined)[], outcome: string): number {
  return answers.filter((answer) => answer?.outcome === outcome).length;
}
