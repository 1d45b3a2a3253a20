import type { JobView, Stored } from '@rowlock/core';
import { useState } from 'preact/hooks';
import { useCan, usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { DELETE } from '../jobs/bulk-action.js';
import { BulkDialog } from '../jobs/bulk-dialog.js';
import { Act } from '../parts/act.js';
import { Link } from '../parts/link.js';
import { outcomeOf } from '../parts/use-change.js';
import { EditDialog, updated } from './edit-dialog.js';

interface Props {
  readonly job: Stored<JobView>;
  readonly status: JobView['status'];
}

/** What may be done to the job in its state. What loses something comes last. */
export function Actions({ job, status }: Props) {
  const { go } = usePage();
  const [canUpdate, canDelete, canEnqueue] = [useCan('update'), useCan('delete'), useCan('enqueue')];
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const { publicId: id } = job;
  const close = (): void => setOpen(undefined);
  return (
    <span class="buttons">
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
        <button type="button" class="small" onClick={() => setOpen('edit')}>
          Change …
        </button>
      )}
      {canEnqueue && (
        <Link to={addressOf('new', { again: id })} isButton>
          Enqueue again …
        </Link>
      )}
      {(status === 'new' || status === 'in-progress') && (
        <Act permission="cancel" path="job/cancel" body={{ id }} done={cancelled} isDestructive>
          Cancel
        </Act>
      )}
      {DELETE.from.includes(status) && canDelete && (
        <button type="button" class="small danger" onClick={() => setOpen('delete')}>
          Delete …
        </button>
      )}
      {open === 'edit' && <EditDialog job={job} onClose={close} />}
      {open === 'delete' && (
        <BulkDialog
          action={DELETE}
          filter={String(new URLSearchParams({ id }))}
          subject="this job"
          onDone={() => go(addressOf('jobs'))}
          onClose={close}
        />
      )}
    </span>
  );
}

function cancelled(answer: unknown): string {
  return outcomeOf(answer) === 'signalled' ? 'A worker holds it, and got the cancellation.' : 'Cancelled.';
}
