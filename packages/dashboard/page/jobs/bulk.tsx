import { useState } from 'preact/hooks';
import type { Permission } from '../../src/permission.js';
import { usePage } from '../frame/page.js';
import { BulkDialog } from './bulk-dialog.js';

/** What may be done to many jobs. */
export interface BulkAction {
  readonly permission: Permission;
  readonly path: string;
  readonly name: string;
  /** What is done in the end. */
  readonly done: string;
  readonly hint: string;
}

export const REDRIVE: BulkAction = {
  permission: 'redrive',
  path: 'jobs/redrive',
  name: 'Redrive',
  done: 'redriven',
  hint: 'They get all their attempts again. Without a state of the filter, those that ended as error are meant.',
};

const ACTIONS: readonly BulkAction[] = [
  {
    permission: 'cancel',
    path: 'jobs/cancel',
    name: 'Cancel',
    done: 'cancelled',
    hint: 'Waiting jobs end at once. Running ones get a cancellation.',
  },
  REDRIVE,
  {
    permission: 'delete',
    path: 'jobs/delete',
    name: 'Delete',
    done: 'deleted',
    hint: 'Ended jobs are deleted with the records of their runs. There is no way back.',
  },
];

/** Changes all jobs that the filter means. */
export function Bulk({ filter }: { readonly filter: URLSearchParams }) {
  const { session } = usePage();
  const [action, setAction] = useState<BulkAction>();
  const offered = ACTIONS.filter(({ permission }) => session.can.includes(permission));
  if (offered.length === 0) return null;
  return (
    <fieldset class="buttons">
      <legend class="unseen">All jobs of this filter</legend>
      {offered.map((each) => (
        <button type="button" class="small" key={each.path} onClick={() => setAction(each)}>
          {each.name} all …
        </button>
      ))}
      {action !== undefined && (
        <BulkDialog action={action} filter={String(filter)} onClose={() => setAction(undefined)} />
      )}
    </fieldset>
  );
}
