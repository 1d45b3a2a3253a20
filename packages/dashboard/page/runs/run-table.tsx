import type { Stored } from '@rowlock/core';
import type { RunRow } from '../../src/views.js';
import { JobLink } from '../parts/job-link.js';
import { State } from '../parts/state.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { Took } from '../parts/took.js';

const HEAD = ['Job', 'Outcome', 'Kind', 'Queue', 'Key', 'Started', 'Took', 'Worker', 'Error'];

export function RunTable({ runs }: { readonly runs: readonly Stored<RunRow>[] }) {
  if (runs.length === 0) return <p class="hint">No run of this filter began in this time.</p>;
  return (
    <Table title="Runs" head={HEAD}>
      <tbody>
        {runs.map((run) => (
          <tr key={`${run.runId} ${run.publicId}`}>
            <th scope="row">
              <JobLink id={run.publicId} />
            </th>
            <td>
              <State of={run.outcome} />
            </td>
            <td>{run.kind}</td>
            <td>{run.queue}</td>
            <td class="short">{run.key ?? '–'}</td>
            <td>
              <Time at={run.startedAt} />
            </td>
            <Took run={run} />
            <td>{run.worker ?? run.host ?? '–'}</td>
            <td class="short">{run.error && `${run.error.code}: ${run.error.message}`}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
