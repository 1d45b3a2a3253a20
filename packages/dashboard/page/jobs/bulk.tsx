import { useState } from 'preact/hooks';
import { usePage } from '../frame/page.js';
import { ACTIONS, type BulkAction } from './bulk-action.js';
import { BulkDialog } from './bulk-dialog.js';

/** Changes all jobs that the filter means. */
export function Bulk({ filter }: { readonly filter: URLSearchParams }) {
  const { session } = usePage();
  const [action, setAction] = useState<BulkAction>();
  const offered = ACTIONS.filter(
    ({ permission, from }) =>
      session.can.includes(permission) && filter.getAll('status').every((state) => from.includes(state)),
  );
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
