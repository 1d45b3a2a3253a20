import { useState } from 'preact/hooks';
import { useAnswer } from '../frame/use-answer.js';
import { Dialog } from '../parts/dialog.js';
import { Notice } from '../parts/notice.js';
import { Time } from '../parts/time.js';

/** The next times of a schedule, in a dialog. */
export function Preview({ name }: { readonly name: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="small" aria-label={`Preview ${name}`} onClick={() => setOpen(true)}>
        Preview
      </button>
      {isOpen && (
        <Dialog title={`The next times of ${name}`} onClose={() => setOpen(false)}>
          <Times name={name} />
          <p class="buttons">
            <button type="button" onClick={() => setOpen(false)}>
              Back
            </button>
          </p>
        </Dialog>
      )}
    </>
  );
}

function Times({ name }: { readonly name: string }) {
  const path = `schedules/preview?${new URLSearchParams({ name })}`;
  const { answer, problem } = useAnswer<readonly string[]>(path, 0);
  return (
    <>
      <Notice text={problem} />
      {answer?.length === 0 && <p>It never fires.</p>}
      <ol class="list">
        {answer?.map((at) => (
          <li key={at}>
            {new Date(at).toLocaleString()}{' '}
            <span class="hint">
              <Time at={at} />
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
