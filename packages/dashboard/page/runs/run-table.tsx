import type { Stored } from '@rowlock/core';
import type { RunRow } from '../../src/views.js';
import { Empty } from '../parts/empty.js';
import { JobLink } from '../parts/job-link.js';
import { State } from '../parts/state.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { Took } from '../parts/took.js';

const HEAD = ['Kind', 'Outcome', 'Job', 'Queue', 'Key', { number: 'Took' }, 'Started', 'Worker', 'Error'];

export function RunTable({ runs }: { readonly runs: readonly Stored<RunRow>[] }) {
  if (runs.length === 0)
    return (
      <Empty title="No such run began in this time.">
        <p>Runs stand here while they go on, and after.</p>
      </Empty>
    );
  return (
    <Table title="Runs" head={HEAD} isStacked>
      <tbody>
        {runs.map((run) => (
          <tr key={`${run.runId} ${run.publicId}`}>
            <th scope="row" class="long">
              {run.kind}
            </th>
            <td data-name="Outcome">
              <State of={run.outcome} />
            </td>
            <td data-name="Job">
              <JobLink id={run.publicId} />
            </td>
            <td data-name="Queue" class="narrow">
              {run.queue}
            </td>
            <td data-name="Key" class={run.key === null ? 'nought' : 'short'}>
              {run.key ?? '–'}
            </td>
            <Took run={run} />
            <td data-name="Started">
              <Time at={run.startedAt} />
            </td>
            <td data-name="Worker" class="short double">
              {run.worker ?? run.host ?? '–'}
            </td>
            <td class="short wide">{run.error && `${run.error.code}: ${run.error.message}`}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
