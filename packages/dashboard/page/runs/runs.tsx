import type { Stored } from '@rowlock/core';
import type { RunsView } from '../../src/views.js';
import { usePage } from '../frame/page.js';
import { useAnswer } from '../frame/use-answer.js';
import { Notice } from '../parts/notice.js';
import { Pages } from './pages.js';
import { RunFilters } from './run-filters.js';
import { RunTable } from './run-table.js';

/** How many runs a page has. */
const PAGE = 50;

/** The runs by outcome, kind, worker and queue, newest first. */
export function Runs() {
  const { query } = usePage().place;
  const { answer, problem, isOld } = useAnswer<Stored<RunsView>>(`runs?limit=${PAGE}&${query}`);
  return (
    <>
      <header class="title">
        <h1>Runs</h1>
      </header>
      <RunFilters query={query} />
      <Notice text={problem} />
      {answer !== undefined && (
        <div class="legend" aria-busy={isOld}>
          <RunTable runs={answer.runs} />
          <Pages query={query} older={answer.older} />
        </div>
      )}
    </>
  );
}
