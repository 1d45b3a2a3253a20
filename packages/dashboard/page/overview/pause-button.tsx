import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useCan } from '../frame/page.js';
import { ChangeDialog } from '../parts/change-dialog.js';

interface Props {
  readonly work: { readonly scope: 'all' | 'queue' | 'kind' | 'limit'; readonly name: string };
  readonly children: ComponentChildren;
}

/** How long a pause may be, in minutes. The first one has no end. */
const MINUTES = [0, 5, 15, 60, 240, 1440];

/** Pauses work, with a reason that the others see. */
export function PauseButton({ work, children }: Props) {
  const can = useCan('pause');
  const [isOpen, setOpen] = useState(false);
  if (!can) return null;
  const what = work.scope === 'all' ? 'all work' : `the ${work.scope} ${work.name}`;

  function pauseIn(form: FormData): object {
    const minutes = Number(form.get('minutes'));
    const until = minutes === 0 ? undefined : new Date(Date.now() + minutes * 60_000);
    return { ...work, until, reason: form.get('reason') };
  }

  return (
    <>
      <button type="button" class="small" aria-label={`Pause ${what}`} onClick={() => setOpen(true)}>
        {children}
      </button>
      {isOpen && (
        <ChangeDialog
          title={`Pause ${what}?`}
          path="pause"
          bodyOf={pauseIn}
          done={() => `Paused ${what}.`}
          action="Pause"
          onClose={() => setOpen(false)}
        >
          <p>Running jobs go on. No new one is taken until it is resumed.</p>
          <label>
            For how long
            <select name="minutes">
              {MINUTES.map((each) => (
                <option value={each} key={each}>
                  {each === 0 ? 'until it is resumed' : each < 60 ? `${each} minutes` : `${each / 60} hours`}
                </option>
              ))}
            </select>
          </label>
          <label>
            Reason
            <input name="reason" maxLength={512} />
          </label>
        </ChangeDialog>
      )}
    </>
  );
}
