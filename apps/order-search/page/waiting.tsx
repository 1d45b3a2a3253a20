import type { Answered } from './use-answer.js';

/** What is said of a search that is slow, or that was given up. */
export function Waiting({
  course,
  giveUp,
  askAgain,
}: Pick<Answered<unknown>, 'course' | 'giveUp' | 'askAgain'>) {
  if (course === 'slow')
    return (
      <p class="hint" role="status">
        The search is on its way …{' '}
        <button type="button" onClick={giveUp}>
          Give up
        </button>
      </p>
    );
  if (course === 'given up')
    return (
      <p class="hint" role="status">
        The search was given up.{' '}
        <button type="button" onClick={askAgain}>
          Search again
        </button>
      </p>
    );
  return null;
}
