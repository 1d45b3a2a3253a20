import type { Stored } from '@rowlock/core';
import type { RunsView } from '../../src/views.js';
import { usePage } from '../frame/page.js';
import { useAnswer } from '../frame/use-answer.js';
import { Notice } from '../parts/notice.js';
import { RunFilters } from './run-filters.js';
import { RunTable } from './run-table.js';

/** The latest runs, by outcome, kind, worker and queue. */
export function Runs() {
  const { query } = usePage().place;
  const { answer, problem, isOld } = useAnswer<Stored<RunsView>>(`runs?${query}`);
  return (
    <>
      <h1>Runs</h1>
      <RunFilters query={query} />
      <Notice text={problem} />
      {answer !== undefined && (
        <div aria-busy={isOld}>
          <RunTable runs={answer.runs} />
          {answer.more && <p class="hint">There may be more: look at an earlier time, or filter.</p>}
        </div>
      )}
    </>
  );
}
