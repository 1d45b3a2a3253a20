import type { Stored } from '@rowlock/core';
import { useState } from 'preact/hooks';
import type { PictureView } from '../../src/views.js';
import { number } from '../format/numbers.js';
import { JobLink } from '../parts/job-link.js';
import { Table } from '../parts/table.js';
import { doingOf } from './sentence.js';

/** How many rows are shown at once. */
const ROWS = 100;

const HEAD = ['Place', 'Job', 'Kind', 'Key', 'State', 'What it does', 'Run'];

/** The same as the drawing, in rows. */
export function PictureTable({ picture }: { readonly picture: Stored<PictureView> }) {
  const { jobs, runs } = picture;
  const [wanted, setFirst] = useState(0);
  const first = Math.min(wanted, Math.max(0, jobs.length - 1));
  if (jobs.length === 0) return <p class="hint">No job of this queue waits or runs.</p>;
  return (
    <>
      <Table title="Jobs in the order of the claim" head={HEAD}>
        <tbody>
          {jobs.slice(first, first + ROWS).map((job, place) => (
            <tr key={job.id}>
              <td class="number">{number(first + place + 1)}</td>
              <th scope="row">
                <JobLink id={job.id} />
              </th>
              <td>{job.kind}</td>
              <td class="short">{job.key ?? '–'}</td>
              <td>{job.state}</td>
              <td>{doingOf(picture, job)}</td>
              <td>{job.run === undefined ? '–' : `…${runs[job.run]?.runId.slice(-8)}`}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      {jobs.length > ROWS && (
        <nav class="buttons" aria-label="Rows">
          <button
            type="button"
            class="small"
            disabled={first === 0}
            onClick={() => setFirst(Math.max(0, first - ROWS))}
          >
            Before
          </button>
          <span>
            {number(first + 1)} to {number(Math.min(first + ROWS, jobs.length))} of {number(jobs.length)}
          </span>
          <button
            type="button"
            class="small"
            disabled={first + ROWS >= jobs.length}
            onClick={() => setFirst(first + ROWS)}
          >
            After
          </button>
        </nav>
      )}
    </>
  );
}
