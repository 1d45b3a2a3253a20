import type { Stored } from '@rowlock/core';
import type { TargetedKeyboardEvent } from 'preact';
import type { JobRow } from '../../src/views.js';
import { usePage } from '../frame/page.js';
import { JobLink } from '../parts/job-link.js';
import { State } from '../parts/state.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { ACTIONS } from './bulk-action.js';
import type { Selection } from './use-selection.js';

type Job = Stored<JobRow>;

interface Props {
  readonly jobs: readonly Job[];
  readonly selection: Selection;
}

const HEAD = [
  'State',
  'Kind',
  'Queue',
  'Key',
  { number: 'Attempt' },
  <span class="rare" key="created">
    Created
  </span>,
  'When',
  'Worker or error',
];

/** The rows of a page. Those who may change jobs can choose rows. */
export function JobTable({ jobs, selection }: Props) {
  const { can } = usePage().session;
  const canChoose = ACTIONS.some(({ permission }) => can.includes(permission));
  return (
    <Table
      title="Jobs"
      head={[canChoose ? <ChoosePage selection={selection} jobs={jobs} /> : 'Job', ...HEAD]}
      isStacked
    >
      <tbody>
        {jobs.map((job) => (
          <tr key={job.publicId} class={isChosen(selection, job) ? 'chosen' : undefined}>
            <th scope="row">
              <span class="choice">
                {canChoose && <Choice job={job} selection={selection} />}
                <JobLink id={job.publicId} />
              </span>
            </th>
            <td data-name="State">
              <State of={job.status} />
            </td>
            <td class="short double" data-name="Kind">
              {job.kind}
            </td>
            <td class="short" data-name="Queue">
              {job.queue}
            </td>
            <td class={job.key === null ? 'nought' : 'short'} data-name="Key" title={job.key ?? ''}>
              {job.key ?? '–'}
            </td>
            <td class="number" data-name="Attempt">
              {job.attempt} of {job.maxAttempts}
            </td>
            <td class="rare" data-name="Created">
              <Time at={job.createdAt} />
            </td>
            <td class="double" data-name="When">
              <When job={job} />
            </td>
            <td
              class={lastOf(job) === '' ? 'nought' : 'short wide'}
              data-name="Worker or error"
              title={lastOf(job)}
            >
              {lastOf(job) || '–'}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function isChosen({ ids, isAll }: Selection, { publicId }: Job): boolean {
  return isAll || ids.has(publicId);
}

function ChoosePage({ selection, jobs }: Props) {
  const { ids, isAll } = selection;
  const isWhole = isAll || ids.size === jobs.length;
  return (
    <label class="inline choice">
      <input
        type="checkbox"
        aria-label="Select all jobs of this page"
        checked={isWhole}
        indeterminate={!isWhole && ids.size > 0}
        onChange={({ currentTarget }) => selection.choosePage(currentTarget.checked)}
      />
      Job
    </label>
  );
}

interface ChoiceProps {
  readonly job: Job;
  readonly selection: Selection;
}

/** Shift takes all rows since the last one along. The arrows lead to the next row, and with Shift they choose it. */
function Choice({ job, selection }: ChoiceProps) {
  const { publicId } = job;
  return (
    <input
      type="checkbox"
      aria-label={`Select job …${publicId.slice(-8)}`}
      value={publicId}
      checked={isChosen(selection, job)}
      onClick={({ currentTarget: { checked }, shiftKey }) =>
        shiftKey ? selection.chooseTo(publicId, checked) : selection.choose(publicId, checked)
      }
      onKeyDown={(event) => {
        const next = neighbourOf(event);
        if (next === null) return;
        event.preventDefault();
        next.focus();
        if (event.shiftKey) selection.choosePair(publicId, next.value);
      }}
    />
  );
}

function neighbourOf({
  key,
  currentTarget,
}: TargetedKeyboardEvent<HTMLInputElement>): HTMLInputElement | null {
  const row = currentTarget.closest('tr');
  const next = { ArrowDown: row?.nextElementSibling, ArrowUp: row?.previousElementSibling }[key];
  return next?.querySelector('input') ?? null;
}

/** The time that counts in the job's state. */
function When({ job: { status, availableAt, startedAt, finishedAt } }: { readonly job: Job }) {
  const [word, at] =
    status === 'new'
      ? ['due', availableAt]
      : status === 'in-progress'
        ? ['began', startedAt]
        : ['ended', finishedAt];
  return (
    <>
      {word} <Time at={at} />
    </>
  );
}

function lastOf({ worker, error }: Job): string {
  return worker ?? (error === null ? '' : `${error.code}: ${error.message}`);
}
