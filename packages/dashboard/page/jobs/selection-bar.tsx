import type { Stored } from '@rowlock/core';
import type { JobCount } from '@rowlock/core/types';
import { useState } from 'preact/hooks';
import type { JobRow } from '../../src/views.js';
import { counted, jobsIn } from '../format/numbers.js';
import { usePage } from '../frame/page.js';
import { ACTIONS, type BulkAction } from './bulk-action.js';
import { BulkDialog } from './bulk-dialog.js';
import type { Selection } from './use-selection.js';

interface Props {
  readonly filter: URLSearchParams;
  /** How many jobs the filter means. Undefined while they are counted. */
  readonly count: JobCount | undefined;
  readonly jobs: readonly Stored<JobRow>[];
  readonly selection: Selection;
}

interface Begun {
  readonly action: BulkAction;
  readonly filter: string;
  readonly subject?: 'the selected jobs';
}

/** What is chosen, and what may be done to it in the states that the chosen jobs have. */
export function SelectionBar({ filter, count, jobs, selection }: Props) {
  const { session } = usePage();
  const [begun, setBegun] = useState<Begun>();
  const { ids, isAll } = selection;
  const allowed = ACTIONS.filter(({ permission }) => session.can.includes(permission));
  if (allowed.length === 0 || jobs.length === 0) return null;
  const all = count === undefined ? 'all' : `all ${counted(count)}`;
  return (
    <fieldset class="buttons selection" data-still={ids.size > 0 || isAll ? '' : undefined}>
      <legend class="unseen">Selected jobs</legend>
      <span role="status">
        {isAll && `Selected: ${all} of this filter`}
        {ids.size > 0 && `${jobsIn(ids.size)} selected. The list stands still.`}
      </span>
      {isAll &&
        allowed
          .filter(({ from }) => filter.getAll('status').every((state) => from.includes(state)))
          .map((action) => (
            <ActionButton
              action={action}
              key={action.path}
              onClick={() => setBegun({ action, filter: String(filter) })}
            >
              {action.name} all …
            </ActionButton>
          ))}
      {allowed.map((action) => {
        const meant = jobs.filter(
          (job) =>
            ids.has(job.publicId) && action.from.includes(job.status) && (action.isMeant?.(job) ?? true),
        );
        return (
          meant.length > 0 && (
            <ActionButton
              action={action}
              key={action.path}
              onClick={() =>
                setBegun({ action, filter: filterOfIds(action, meant), subject: 'the selected jobs' })
              }
            >
              {action.name} {meant.length} …
            </ActionButton>
          )
        );
      })}
      {!isAll && filter.size > 0 && (
        <button type="button" class="small" onClick={selection.chooseAll}>
          Select {all} of this filter
        </button>
      )}
      {(isAll || ids.size > 0) && (
        <button type="button" class="small" onClick={selection.clear}>
          Select none
        </button>
      )}
      {begun && <BulkDialog {...begun} onDone={selection.clear} onClose={() => setBegun(undefined)} />}
    </fieldset>
  );
}

interface ButtonProps {
  readonly action: BulkAction;
  readonly onClick: () => void;
  readonly children: preact.ComponentChildren;
}

function ActionButton({ action, onClick, children }: ButtonProps) {
  return (
    <button type="button" class={action.isDestructive ? 'small danger' : 'small'} onClick={onClick}>
      {children}
    </button>
  );
}

/** With the states, because a redrive without one means failed jobs alone. */
function filterOfIds({ from }: BulkAction, jobs: readonly Stored<JobRow>[]): string {
  return String(
    new URLSearchParams([
      ...from.map((state) => ['status', state]),
      ...jobs.map(({ publicId }) => ['id', publicId]),
    ]),
  );
}
