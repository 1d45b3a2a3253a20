import type { AuditedAction } from '../driver/audit.js';
import type { Joined } from '../driver/driver.js';
import type { Acting } from './acting.js';

/** How many jobs a step has changed, and how many it has sent a cancellation. */
export interface Sums {
  readonly changed: number;
  /** Default 0. */
  readonly signalled?: number;
}

/**
 * The steps of a call for many jobs, in an operator's name. Each step is a transaction, and the call has one entry, whose
 * numbers grow with each step: after a crash it has those of the steps that were done. A call that changes nothing has
 * none.
 */
export function growingEntry<Tx>(
  calls: Acting<Tx>,
  { action, details }: Pick<AuditedAction, 'action' | 'details'>,
): <Answer extends Sums>(work: (joined: Joined) => Promise<Answer>) => Promise<Answer> {
  let entry: string | undefined;
  let sums: Required<Sums> = { changed: 0, signalled: 0 };

  return async (work) => {
    const done = await calls.transaction(async (tx) => {
      const joined = calls.on(tx);
      const answer = await work(joined);
      const { changed, signalled = 0 } = answer;
      const grown = {
        changed: sums.changed + changed,
        signalled: sums.signalled + signalled,
      };
      if (changed + signalled === 0) return { answer, grown, id: entry };
      const all = { ...details, ...grown };
      const id = await joined.audit.note(
        { by: calls.by, action, scope: 'jobs', name: '', details: all },
        entry,
      );
      return { answer, grown, id };
    });
    entry = done.id;
    sums = done.grown;
    return done.answer;
  };
}
