import type { Stored } from '@rowlock/core';
import type { ErrorsView } from '../../src/views.js';
import { jobsIn, number } from '../format/numbers.js';
import { usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { useAnswer } from '../frame/use-answer.js';
import { Empty } from '../parts/empty.js';
import { Link } from '../parts/link.js';
import { Notice } from '../parts/notice.js';
import { ErrorTable } from './error-table.js';

/** A thousand rows are read, so it is done less often. In milliseconds. */
const ERRORS_MS = 15_000;

/** The failed jobs by their errors, the most frequent first. Those that somebody has muted are folded away. */
export function Errors() {
  const { query } = usePage().place;
  const { answer, problem } = useAnswer<Stored<ErrorsView>>(`errors?${query}`, ERRORS_MS);
  const groups = answer?.groups ?? [];
  const muted = groups.filter((group) => group.muted !== null);
  const others = groups.filter((group) => group.muted === null);
  return (
    <>
      <header class="title">
        <h1>Errors</h1>
        {answer && (
          <span class="hint">
            {answer.more ? `the newest ${number(answer.read)} failed jobs` : jobsIn(answer.read)}
            {query.size > 0 && <> of {[...query.values()].join(', ')} </>}
          </span>
        )}
        {query.size > 0 && <Link to={addressOf('errors')}>All</Link>}
      </header>
      <Notice text={problem} />
      {answer !== undefined && others.length === 0 && (
        <Empty title={muted.length === 0 ? 'No job has failed.' : 'No job has failed but for muted errors.'}>
          <p>Jobs that have no attempt left stand here, by what their errors have in common.</p>
        </Empty>
      )}
      {others.length > 0 && <ErrorTable title="Errors" groups={others} />}
      {muted.length > 0 && (
        <details class="folded">
          <summary>
            {number(muted.length)} muted, with {jobsIn(muted.reduce((sum, { jobs }) => sum + jobs, 0))}
          </summary>
          <ErrorTable title="Muted errors" groups={muted} />
        </details>
      )}
    </>
  );
}
