import type { JobView, Json, Stored } from '@rowlock/core';
import { useState } from 'preact/hooks';
import { localTime } from '../format/times.js';
import { usePage } from '../frame/page.js';
import { ChangeDialog } from '../parts/change-dialog.js';
import { NotBeforeField, notBeforeIn, PriorityField, priorityIn } from '../parts/job-fields.js';
import { outcomeOf } from '../parts/use-change.js';

interface Props {
  readonly job: Stored<JobView>;
  readonly onClose: () => void;
}

/** Changes a waiting job: its time, its priority, its payload. Only what differs is sent, with what it was. */
export function EditDialog({ job, onClose }: Props) {
  const { session } = usePage();
  // As it was when the dialog was opened: the page reads the job again after a change.
  const [was] = useState({ runAt: job.availableAt, priority: job.priority, payload: job.payload });
  const shown = { runAt: localTime(was.runAt), payload: JSON.stringify(was.payload, null, 2) };

  function changes(form: FormData): object {
    const payload = form.get('payload');
    const priority = priorityIn(form);
    const changed = {
      ...(typeof payload === 'string' && payload !== shown.payload && { payload: jsonOf(payload) }),
      ...notBeforeIn(form, shown.runAt),
      ...(priority !== was.priority && { priority }),
    };
    if (Object.keys(changed).length === 0) throw new Error('Nothing is changed.');
    return { id: job.publicId, ...changed, was };
  }

  return (
    <ChangeDialog
      title="Change the job"
      path="job/update"
      bodyOf={changes}
      done={updated}
      action="Save"
      onClose={onClose}
    >
      <NotBeforeField value={shown.runAt} />
      <PriorityField value={was.priority} />
      {!session.redacted && (
        <label>
          Payload
          <textarea name="payload" rows={10} defaultValue={shown.payload} spellcheck={false} />
        </label>
      )}
    </ChangeDialog>
  );
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The payload is not JSON: ${String(error)}`);
  }
}

/** @throws Error where nothing was changed */
export function updated(answer: unknown): string {
  if (outcomeOf(answer) === 'running') throw new Error('A worker holds it, so nothing was changed.');
  return 'Changed.';
}
