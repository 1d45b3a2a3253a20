import type { Driver } from '@rowlock/core';
import type { Job } from '@rowlock/core/driver';
import { type HistoryFile, monotonicMs } from './history/history-file.js';
import { instead } from './instead.js';
import { isOfSubjects } from './subjects/kinds.js';

/** The driver. Notes of each job with limits, and of the subjects, when its claim was sent: slots are taken after that. */
export function notedClaims<Tx>(driver: Driver<Tx>, history: HistoryFile): Driver<Tx> {
  async function noted(sentAt: number, claim: Promise<readonly Job[]>): Promise<readonly Job[]> {
    const jobs = await claim;
    for (const { publicId, limits, queue } of jobs)
      if (limits !== '' || isOfSubjects(queue)) history.write({ what: 'claimed', publicId, sentAt });
    return jobs;
  }

  const session: Driver<Tx>['claims']['session'] = (options) => {
    const own = driver.claims.session(options);
    return instead(() => own, {
      claim: (criteria) => noted(monotonicMs(), own.claim(criteria)),
      async finish(settlements, criteria) {
        const sentAt = monotonicMs();
        const finished = await own.finish(settlements, criteria);
        if (finished.next === null) return finished;
        const next = noted(sentAt, finished.next);
        // A failure is for the caller, who may not wait for it yet.
        next.catch(() => {});
        return { ...finished, next };
      },
    });
  };
  const claims = instead(() => driver.claims, { session });
  return instead(() => driver, { claims });
}
