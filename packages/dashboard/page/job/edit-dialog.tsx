import type { JobView, Json, Stored } from '@rowlock/core';
import { useState } from 'preact/hooks';
import { localTime } from '../format/times.js';
import { usePage } from '../frame/page.js';
import { Dialog } from '../parts/dialog.js';
import { Notice } from '../parts/notice.js';
import { outcomeOf, useChange } from '../parts/use-change.js';

interface Props {
  readonly job: Stored<JobView>;
  readonly onClose: () => void;
}

/** Changes a waiting job: its time, its priority, its payload. Only what differs is sent. */
export function EditDialog({ job, onClose }: Props) {
  const { session } = usePage();
  const { isBusy, make } = useChange();
  const [problem, setProblem] = useState('');
  // As it was when the dialog was opened: the page reads the job again meanwhile.
  const [before] = useState({
    runAt: localTime(job.availableAt),
    payload: JSON.stringify(job.payload, null, 2),
  });

  async function save(form: FormData): Promise<void> {
    const payload = form.get('payload');
    const runAt = form.get('runAt');
    const priority = Number(form.get('priority'));
    const changes: Record<string, Json> = { id: job.publicId };
    try {
      if (typeof payload === 'string' && payload !== before.payload) changes.payload = JSON.parse(payload);
    } catch (error) {
      return setProblem(`The payload is not JSON: ${String(error)}`);
    }
    if (typeof runAt === 'string' && runAt !== '' && runAt !== before.runAt)
      changes.runAt = new Date(runAt).toISOString();
    if (priority !== job.priority) changes.priority = priority;
    if (Object.keys(changes).length === 1) return setProblem('Nothing is changed.');
    await make('job/update', changes, updated);
    onClose();
  }

  return (
    <Dialog title="Change the job" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save(new FormData(event.currentTarget));
        }}
      >
        <label>
          Not before
          <input type="datetime-local" name="runAt" defaultValue={before.runAt} />
        </label>
        <label>
          Priority (lower runs sooner)
          <input
            type="number"
            name="priority"
            min={-32768}
            max={32767}
            required
            defaultValue={job.priority}
          />
        </label>
        {!session.redacted && (
          <label>
            Payload
            <textarea name="payload" rows={10} defaultValue={before.payload} spellcheck={false} />
          </label>
        )}
        <Notice text={problem} />
        <p class="buttons">
          <button type="submit" class="primary" disabled={isBusy}>
            Save
          </button>
          <button type="button" onClick={onClose}>
            Back
          </button>
        </p>
      </form>
    </Dialog>
  );
}

function updated(answer: unknown): string {
  return outcomeOf(answer) === 'running' ? 'A worker holds it, so nothing was changed.' : 'Changed.';
}
