import type { Stored } from '@rowlock/core';
import type { JobCount } from '@rowlock/core/types';
import type { JobsView } from '../../src/views.js';
import { counted } from '../format/numbers.js';
import { useCan, usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { useAnswer } from '../frame/use-answer.js';
import { Link } from '../parts/link.js';
import { Notice } from '../parts/notice.js';
import { Filters } from './filters.js';
import { JobTable } from './job-table.js';
import { NoJobs } from './no-jobs.js';
import { SavedViews } from './saved-views.js';
import { SelectionBar } from './selection-bar.js';
import { useSelection } from './use-selection.js';

/** Counting reads more than a page does, so it is done less often. In milliseconds. */
const COUNT_MS = 15_000;

/** The jobs that the address means, newest or oldest first. */
export function Jobs() {
  const { query } = usePage().place;
  const canEnqueue = useCan('enqueue');
  const view = without(query, 'cursor');
  const filter = without(view, 'order');
  const isOldest = view.get('order') === 'oldest';
  const { answer, problem, isOld } = useAnswer<Stored<JobsView>>(`jobs?${query}`);
  const number = useAnswer<JobCount>(`jobs/count?${filter}`, COUNT_MS);
  const count = number.isOld ? undefined : number.answer;
  const jobs = answer?.jobs ?? [];
  const selection = useSelection(
    String(query),
    jobs.map(({ publicId }) => publicId),
  );
  return (
    <>
      <header class="title">
        <h1>Jobs</h1>
        <span class="hint">
          {count === undefined ? '…' : jobsCounted(count)}, {isOldest ? 'oldest' : 'newest'} first
        </span>
        <Link to={addressOf('jobs', isOldest ? filter : withOne(filter, 'order', 'oldest'))}>
          {isOldest ? 'Newest first' : 'Oldest first'}
        </Link>
        {isLine(filter) && (
          <Link to={addressOf('picture', { queue: filter.get('queue') ?? '' })}>
            In the order of the claim
          </Link>
        )}
        {canEnqueue && (
          <span class="end">
            <Link to={addressOf('new')} isButton>
              New job …
            </Link>
          </span>
        )}
      </header>
      <SavedViews filter={view} />
      <Filters query={view} jobs={jobs} />
      <Notice text={problem} />
      {answer !== undefined && (
        <div class="results" aria-busy={isOld}>
          <SelectionBar filter={filter} count={count} jobs={jobs} selection={selection} />
          {jobs.length === 0 ? (
            <NoJobs filter={filter} isStopped={answer.stopped} />
          ) : (
            <JobTable jobs={jobs} selection={selection} />
          )}
          {answer.stopped && <p class="hint">The search has ended here. It goes on with the next page.</p>}
          <nav class="buttons" aria-label="Pages">
            {query.has('cursor') && (
              <Link to={addressOf('jobs', view)}>{isOldest ? 'Oldest' : 'Newest'}</Link>
            )}
            {answer.cursor !== null && (
              <Link to={addressOf('jobs', withOne(view, 'cursor', answer.cursor))}>
                {isOldest ? 'Newer' : 'Older'}
              </Link>
            )}
          </nav>
        </div>
      )}
    </>
  );
}

function withOne(query: URLSearchParams, name: string, value: string): URLSearchParams {
  return new URLSearchParams([...query, [name, value]]);
}

function without(query: URLSearchParams, name: string): URLSearchParams {
  const next = new URLSearchParams(query);
  next.delete(name);
  return next;
}

/** Whether these are the waiting jobs of a queue, which have an order of their own. */
function isLine(filter: URLSearchParams): boolean {
  return filter.has('queue') && filter.getAll('status').join() === 'new';
}

function jobsCounted(count: JobCount): string {
  return `${counted(count)} ${count.count === 1 && !count.more ? 'job' : 'jobs'}`;
}
