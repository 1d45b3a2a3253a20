import type { JobCount } from '@rowlock/core/types';
import { counted } from '../format/numbers.js';
import { useAnswer } from '../frame/use-answer.js';

/** Counting reads more than a page does, so it is done less often. In milliseconds. */
const COUNT_MS = 15_000;

export function NumberOfJobs({ filter }: { readonly filter: URLSearchParams }) {
  const { answer, isOld } = useAnswer<JobCount>(`jobs/count?${filter}`, COUNT_MS);
  return (
    <span class="hint">
      {answer === undefined || isOld
        ? '…'
        : `${counted(answer)} ${answer.count === 1 && !answer.more ? 'job' : 'jobs'}`}
    </span>
  );
}
