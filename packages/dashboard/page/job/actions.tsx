import type { JobView, Stored } from '@rowlock/core';
import { useState } from 'preact/hooks';
import { useCan } from '../frame/page.js';
import { Act } from '../parts/act.js';
import { outcomeOf } from '../parts/use-change.js';
import { EditDialog, updated } from './edit-dialog.js';

interface Props {
  readonly job: Stored<JobView>;
  readonly status: JobView['status'];
}

/** What may be done to the job in its state. */
export function Actions({ job, status }: Props) {
  const canUpdate = useCan('update');
  const [isOpen, setOpen] = useState(false);
  const { publicId: id } = job;
  const isOutstanding = status === 'new' || status === 'in-progress';
  return (
    <span class="buttons">
      {isOutstanding && (
        <Act permission="cancel" path="job/cancel" body={{ id }} done={cancelled}>
          Cancel
        </Act>
      )}
      {(status === 'error' || status === 'cancelled') && (
        <Act
          permission="redrive"
          path="job/redrive"
          body={{ id }}
          done="Redriven: it has all its attempts again."
        >
          Redrive
        </Act>
      )}
      {status === 'new' && Date.parse(job.availableAt) > Date.now() && (
        <Act
          permission="update"
          path="job/update"
          // A time that is over by the database's clock, whatever the browser's says.
          body={{ id, runAt: job.createdAt }}
          done={updated}
        >
          Run now
        </Act>
      )}
      {status === 'new' && canUpdate && (
        <button type="button" class="small" onClick={() => setOpen(true)}>
          Change …
        </button>
      )}
      {isOpen && <EditDialog job={job} onClose={() => setOpen(false)} />}
    </span>
  );
}

function cancelled(answer: unknown): string {
  return outcomeOf(answer) === 'signalled' ? 'A worker holds it, and got the cancellation.' : 'Cancelled.';
}
