import type { Stored } from '@rowlock/core';
import { useMemo, useState } from 'preact/hooks';
import type { PictureView } from '../../src/views.js';
import { jobsIn, number } from '../format/numbers.js';
import { Empty } from '../parts/empty.js';
import { JobLink } from '../parts/job-link.js';
import { Table } from '../parts/table.js';
import { doingOfAll, type Group, groupsOf, keysOf } from './groups.js';

/** How many rows are shown at once, and how many jobs of a row are named. */
const ROWS = 100;
const NAMED = 100;

const HEAD = ['Place', 'Job', 'Kind', 'Key', 'State', 'What it does', 'Run'];

/** The same as the drawing, in rows. Neighbours that are alike have one. */
export function PictureTable({ picture }: { readonly picture: Stored<PictureView> }) {
  const { jobs, runs } = picture;
  const groups = useMemo(() => groupsOf(picture), [picture]);
  const [wanted, setFirst] = useState(0);
  const first = Math.min(wanted, Math.max(0, groups.length - 1));
  const shown = groups.slice(first, first + ROWS);
  if (jobs.length === 0)
    return (
      <Empty title="No job of this queue waits or runs.">
        <p>Its jobs stand here in the order in which they are claimed.</p>
      </Empty>
    );
  return (
    <>
      <Table title="Jobs in the order of the claim" head={HEAD} isStacked>
        <tbody>
          {shown.map((group) => {
            const {
              jobs: [job],
            } = group;
            return (
              <tr key={job.id}>
                <td data-name="Place">{placesOf(group)}</td>
                <th scope="row">
                  <Named group={group} />
                </th>
                <td data-name="Kind" class="double">
                  {job.kind}
                </td>
                <td data-name="Key" class={keysOf(group) === '–' ? 'nought' : 'short'}>
                  {keysOf(group)}
                </td>
                <td data-name="State">{job.state}</td>
                <td class="wide">{doingOfAll(picture, group)}</td>
                <td data-name="Run" class={job.run === undefined ? 'nought' : ''}>
                  {job.run === undefined ? '–' : `…${runs[job.run]?.runId.slice(-8)}`}
                </td>
              </tr>
            );
          })}
        </tbody>
      </Table>
      {groups.length > ROWS && (
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
            {number((shown[0]?.place ?? 0) + 1)} to {number(endOf(shown))} of {number(jobs.length)}
          </span>
          <button
            type="button"
            class="small"
            disabled={first + ROWS >= groups.length}
            onClick={() => setFirst(first + ROWS)}
          >
            After
          </button>
        </nav>
      )}
    </>
  );
}

/** The job, or all of them to unfold. */
function Named({ group: { jobs } }: { readonly group: Group }) {
  if (jobs.length === 1) return <JobLink id={jobs[0].id} />;
  return (
    <details>
      <summary>{jobsIn(jobs.length)}</summary>
      <ul class="list">
        {jobs.slice(0, NAMED).map(({ id, key }) => (
          <li key={id}>
            <JobLink id={id} />
            {key !== null && <span class="hint">{key}</span>}
          </li>
        ))}
        {jobs.length > NAMED && <li class="hint">and {number(jobs.length - NAMED)} more</li>}
      </ul>
    </details>
  );
}

function placesOf({ place, jobs }: Group): string {
  const first = number(place + 1);
  return jobs.length === 1 ? first : `${first} to ${number(place + jobs.length)}`;
}

function endOf(groups: readonly Group[]): number {
  const last = groups.at(-1);
  return last === undefined ? 0 : last.place + last.jobs.length;
}
