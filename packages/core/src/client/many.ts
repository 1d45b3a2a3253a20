import { growingEntry, type Sums } from '../audit/growing-entry.js';
import { filterOnRecord } from '../audit/on-record.js';
import { apart, type Refused, refusalOfMany } from '../driver/apart.js';
import type { AuditAction, AuditDetails } from '../driver/audit.js';
import type { Joined } from '../driver/driver.js';
import { isDriverError } from '../driver/driver-error.js';
import { type JobEntry, type JobFilter, listed } from '../driver/job-filter.js';
import type { JobUpdate, Updated } from '../driver/jobs.js';
import type { WakeUp } from '../driver/wake-up.js';
import { InvalidInputError } from '../errors.js';
import { checkWhole, LIMITS } from '../input.js';
import type { JobId } from '../job/job.js';
import { OUTSTANDING, SETTLED, type State } from '../job/lifecycle.js';
import { checkOptions } from '../known-options.js';
import { shown } from '../shown.js';
import type { Calls } from './calls.js';
import { checkFilter } from './check-filter.js';
import { moveUnlessLocked } from './move-job.js';

export interface ManyOptions {
  /** Only finds the jobs, and changes none. Default false. */
  readonly dryRun?: boolean;
  /** How many jobs to find at most, the newest ones. Default: all. */
  readonly most?: number;
  /** Ends the work after the step that is on its way. Earlier steps stay. */
  readonly signal?: AbortSignal;
  /** Called after each step, of at most 100 jobs, with the sums so far, and awaited. */
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
  /** Changes some jobs in a transaction, which is undone as a whole if one of them is refused. */
  act(tx: Joined, jobs: readonly JobEntry[]): Promise<Acted>;
}

interface Acted extends Sums {
  /** The jobs that have ended, for which others may wait. Default: none. */
  readonly ended?: readonly string[];
}

/** How many rows a step looks at that goes through all of the jobs. */
const LOOK = 10_000;

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
  checkOptions('The last argument', options, OPTIONS);
  const { dryRun = false, most = Number.POSITIVE_INFINITY, signal, onProgress } = options;
  const filter = filterOf(jobs, action);
  if (most !== Number.POSITIVE_INFINITY) checkWhole('most', most, 1, Number.MAX_SAFE_INTEGER);
  const step = stepOf(calls, action, filter);
  let sums: ManyChanged = { found: 0, changed: 0, signalled: 0, skipped: 0 };
  // From the newest job at the beginning to the oldest: jobs that come meanwhile are not met, nor those that were changed.
  let before: JobId | null = null;
  const all: Refused<JobEntry>[] = [];
  do {
    signal?.throwIfAborted();
    const limit = Math.min(LIMITS.page, most - sums.found);
    const page = await calls.shared.entries(filter, { limit, before, look: LOOK });
    for (let place = 0; place < page.jobs.length; place += STEP) {
      signal?.throwIfAborted();
      const some = page.jobs.slice(place, place + STEP);
      // What refuses one job undoes the transaction, so the others are done without it.
      const { answers, refused } = await apart(dryRun ? [] : some, step);
      const changed = sumOf(answers, ({ changed }) => changed);
      const signalled = sumOf(answers, ({ signalled = 0 }) => signalled);
      all.push(...refused.filter(({ error }) => !isDriverError(error, 'UniqueViolation')));
      sums = {
        found: sums.found + some.length,
        changed: sums.changed + changed,
        signalled: sums.signalled + signalled,
        skipped: sums.skipped + (dryRun ? 0 : some.length - changed - signalled),
      };
      await onProgress?.(sums);
    }
    before = page.next;
  } while (before !== null && sums.found < most);
  const [first] = all;
  if (first !== undefined) throw refusalOfMany(all.length, first.member.publicId, first.error);
  return sums;
}

function sumOf(answers: readonly Acted[], part: (acted: Acted) => number): number {
  return answers.reduce((sum, each) => sum + part(each), 0);
}

/** Changes some jobs in one transaction, on record where an operator does it. */
function stepOf<Tx>(
  calls: Calls<Tx>,
  { action, act, details }: ManyAction,
  filter: JobFilter,
): (jobs: readonly JobEntry[]) => Promise<Acted> {
  const step =
    calls.operator === null
      ? (work: (tx: Joined) => Promise<Acted>) => calls.transaction((tx) => work(calls.on(tx)))
      : growingEntry(calls, { action, details: { ...details, filter: filterOnRecord(filter) } });
  return async (jobs) => {
    const acted = await step((tx) => act(tx, jobs));
    if (acted.ended !== undefined) await calls.shared.letGo(acted.ended);
    return acted;
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
  async act({ jobs: rows, workers }, jobs) {
    const publicIds = jobs.map(({ publicId }) => publicId);
    const moves = await moveUnlessLocked(rows, 'cancel', publicIds);
    const signals = moves.flatMap((moved, place): readonly WakeUp[] => {
      const cancel = publicIds[place];
      return moved.outcome === 'running' && cancel !== undefined
        ? [{ cancel, redrives: moved.redrives }]
        : [];
    });
    if (signals.length > 0) await workers.notify(signals);
    const ended = publicIds.filter((_, place) => moves[place]?.outcome === 'moved');
    return { changed: ended.length, signalled: signals.length, ended };
  },
};

export const REDRIVE: ManyAction = {
  action: 'redrive',
  from: ['error', 'cancelled'],
  unless: ['error'],
  async act({ jobs: rows, workers }, jobs) {
    const publicIds = jobs.map(({ publicId }) => publicId);
    const changed = countOf(await moveUnlessLocked(rows, 'redrive', publicIds), 'moved');
    if (changed > 0) await workers.notify([{}]);
    return { changed };
  },
};

/** Changes waiting jobs, each unless another transaction has it. */
export function updating(changes: JobUpdate, details: AuditDetails): ManyAction {
  return {
    action: 'update',
    from: changes.from,
    details,
    async act({ jobs: rows, workers }, jobs) {
      const updates: Updated[] = [];
      for (const { publicId } of jobs) updates.push(await rows.update(publicId, changes));
      const changed = countOf(updates, 'updated');
      if (changed > 0) await workers.notify([{}]);
      return { changed };
    },
  };
}

export const DELETE: ManyAction = {
  action: 'delete',
  from: SETTLED,
  async act({ history }, jobs) {
    const ids = jobs.map(({ id }) => id);
    return { changed: await history.prune(ids, 0) };
  },
};

function countOf(answers: readonly { readonly outcome: string }[], outcome: string): number {
  return answers.filter((answer) => answer.outcome === outcome).length;
}
