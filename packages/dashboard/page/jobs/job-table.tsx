import type { Stored } from '@rowlock/core';
import type { JobRow } from '../../src/views.js';
import { JobLink } from '../parts/job-link.js';
import { State } from '../parts/state.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';

const HEAD = [
  'Job',
  'State',
  'Kind',
  'Queue',
  'Key',
  'Attempt',
  'Created',
  'Due',
  'Ended',
  'Worker or error',
];

export function JobTable({ jobs }: { readonly jobs: readonly Stored<JobRow>[] }) {
  if (jobs.length === 0) return <p class="hint">No job is of this filter.</p>;
  return (
    <Table title="Jobs" head={HEAD}>
      <tbody>
        {jobs.map((job) => (
          <tr key={job.publicId}>
            <th scope="row">
              <JobLink id={job.publicId} />
            </th>
            <td>
              <State of={job.status} />
            </td>
            <td>{job.kind}</td>
            <td>{job.queue}</td>
            <td class="short">{job.key ?? '–'}</td>
            <td class="number">
              {job.attempt} of {job.maxAttempts}
            </td>
            <td>
              <Time at={job.createdAt} />
            </td>
            <td>
              <Time at={job.availableAt} />
            </td>
            <td>
              <Time at={job.finishedAt} />
            </td>
            <td class="short">{job.worker ?? (job.error && `${job.error.code}: ${job.error.message}`)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
