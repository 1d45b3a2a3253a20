import type { JobView, Stored } from '@rowlock/core';
import {
  KeyField,
  NotBeforeField,
  notBeforeIn,
  PriorityField,
  priorityIn,
  textIn,
} from '../parts/job-fields.js';

/** What an enqueue takes beside the payload. */
export function Circumstances({ like }: { readonly like: Stored<JobView> | undefined }) {
  return (
    <fieldset class="filters">
      <legend class="unseen">When, and beside which jobs</legend>
      <KeyField value={like?.key ?? null} />
      <NotBeforeField />
      <PriorityField value={like?.priority ?? 0} />
      <label>
        Unique key
        <input name="unique" maxLength={512} />
      </label>
    </fieldset>
  );
}

/** As the server takes it. */
export function circumstancesIn(form: FormData): object {
  return {
    key: textIn(form, 'key'),
    unique: textIn(form, 'unique'),
    priority: priorityIn(form),
    ...notBeforeIn(form),
  };
}
