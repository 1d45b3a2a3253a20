import type { Stored } from '@rowlock/core';
import { useState } from 'preact/hooks';
import type { ErrorsView } from '../../src/views.js';
import { jobsIn, number } from '../format/numbers.js';
import { useCan, usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { useAnswer } from '../frame/use-answer.js';
import { REDRIVE } from '../jobs/bulk-action.js';
import { BulkDialog } from '../jobs/bulk-dialog.js';
import { Empty } from '../parts/empty.js';
import { Link } from '../parts/link.js';
import { Notice } from '../parts/notice.js';
import { Sparkline } from '../parts/sparkline.js';
import { ACTIONS, Table } from '../parts/table.js';
import { Time } from '../parts/time.js';

type Group = Stored<ErrorsView>['groups'][number];

/** A thousand rows are read, so it is done less often. In milliseconds. */
const ERRORS_MS = 15_000;

const HEAD = ['Error', 'Kinds', { number: 'Jobs' }, 'Over time', 'First seen', 'Last seen', ACTIONS];

/** The failed jobs by their errors, the most frequent first. */
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
      {answer?.groups.length === 0 && (
        <Empty title="No job has failed.">
          <p>Jobs that have no attempt left stand here, by what their errors have in common.</p>
        </Empty>
      )}
      {answer !== undefined && answer.groups.length > 0 && (
        <Table title="Errors" head={HEAD} isStacked>
          <tbody>
            {answer.groups.map((group) => (
              <GroupRow
                group={group}
                onRedrive={canRedrive ? () => setFilter(group.filter) : undefined}
                key={`${group.code} ${group.pattern}`}
              />
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

interface RowProps {
  readonly group: Group;
  readonly onRedrive: (() => void) | undefined;
}

function GroupRow({ group, onRedrive }: RowProps) {
  const { code, message, pattern, kinds, jobs, line, first, last, filter } = group;
  return (
    <tr>
      <td class="long wide" title={message}>
        <b>{code}</b> {jobs === 1 ? message : pattern}
      </td>
      <td data-name="Kinds" class="long">
        {kinds.join(', ')}
      </td>
      <td data-name="Jobs" class="number">
        <Link to={addressOf('jobs', new URLSearchParams(filter))}>{number(jobs)}</Link>
      </td>
      <td data-name="Over time">
        <Sparkline of={`Failures by ${code}`} values={line} isBad />
      </td>
      <td data-name="First seen">
        <Time at={first} />
      </td>
      <td data-name="Last seen">
        <Time at={last} />
      </td>
      <td class="end">
        {onRedrive && (
          <button
            type="button"
            class="small"
            aria-label={`Redrive the jobs of ${kinds.join(', ')} with ${code}`}
            onClick={onRedrive}
          >
            Redrive …
          </button>
        )}
      </td>
    </tr>
  );
}
