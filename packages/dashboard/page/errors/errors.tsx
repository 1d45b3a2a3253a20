import type { Stored } from '@rowlock/core';
import { useState } from 'preact/hooks';
import type { ErrorsView } from '../../src/views.js';
import { jobsIn, number } from '../format/numbers.js';
import { useCan, usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { useAnswer } from '../frame/use-answer.js';
import { REDRIVE } from '../jobs/bulk-action.js';
import { BulkDialog } from '../jobs/bulk-dialog.js';
import { Link } from '../parts/link.js';
import { Notice } from '../parts/notice.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';

/** A thousand rows are read, so it is done less often. In milliseconds. */
const ERRORS_MS = 15_000;

/** The failed jobs by kind and error, the most frequent first. */
export function Errors() {
  const { query } = usePage().place;
  const canRedrive = useCan('redrive');
  const [filter, setFilter] = useState<string>();
  const { answer, problem } = useAnswer<Stored<ErrorsView>>(`errors?${query}`, ERRORS_MS);
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
      {answer?.groups.length === 0 && <p class="hint">No job has failed.</p>}
      {answer !== undefined && answer.groups.length > 0 && (
        <Table
          title="Errors"
          head={['Jobs', 'Kind', 'Error', 'First', 'Last', <span class="unseen">Actions</span>]}
        >
          <tbody>
            {answer.groups.map((group) => (
              <tr key={`${group.kind} ${group.code} ${group.pattern}`}>
                <td class="number">
                  <Link to={addressOf('jobs', new URLSearchParams(group.filter))}>{number(group.jobs)}</Link>
                </td>
                <td>{group.kind}</td>
                <td class="long" title={group.message}>
                  <b>{group.code}</b> {group.jobs === 1 ? group.message : group.pattern}
                </td>
                <td>
                  <Time at={group.first} />
                </td>
                <td>
                  <Time at={group.last} />
                </td>
                <td>
                  {canRedrive && (
                    <button
                      type="button"
                      class="small"
                      aria-label={`Redrive the jobs of ${group.kind} with ${group.code}`}
                      onClick={() => setFilter(group.filter)}
                    >
                      Redrive …
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {filter !== undefined && (
        <BulkDialog action={REDRIVE} filter={filter} onClose={() => setFilter(undefined)} />
      )}
    </>
  );
}
