import type { Stored } from '@rowlock/core';
import type { JobsView } from '../../src/views.js';
import { usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { useAnswer } from '../frame/use-answer.js';
import { Link } from '../parts/link.js';
import { Notice } from '../parts/notice.js';
import { Bulk } from './bulk.js';
import { Filters } from './filters.js';
import { JobTable } from './job-table.js';
import { NumberOfJobs } from './number-of-jobs.js';

/** The jobs that the address means, newest first. */
export function Jobs() {
  const { place } = usePage();
  const { query } = place;
  const filter = new URLSearchParams(query);
  filter.delete('cursor');
  const { answer, problem, isOld } = useAnswer<Stored<JobsView>>(`jobs?${query}`);
  return (
    <>
      <header class="title">
        <h1>Jobs</h1>
        <NumberOfJobs filter={filter} />
      </header>
      <Filters query={filter} />
      {filter.size > 0 && <Bulk filter={filter} />}
      <Notice text={problem} />
      {answer !== undefined && (
        <div aria-busy={isOld}>
          <JobTable jobs={answer.jobs} />
          {answer.stopped && <p class="hint">The search has ended here. It goes on with the next page.</p>}
          <nav class="buttons" aria-label="Pages">
            {query.has('cursor') && <Link to={addressOf('jobs', filter)}>Newest</Link>}
            {answer.cursor !== null && (
              <Link to={addressOf('jobs', new URLSearchParams([...filter, ['cursor', answer.cursor]]))}>
                Older
              </Link>
            )}
          </nav>
        </div>
      )}
    </>
  );
}
