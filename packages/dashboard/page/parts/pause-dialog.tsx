import type { Work } from '../../src/scope.js';
import { ChangeDialog } from './change-dialog.js';

interface Props {
  readonly work: Work;
  readonly onClose: () => void;
}

/** How long a pause may be, in minutes. The first one has no end. */
const MINUTES = [0, 5, 15, 60, 240, 1440];

/** Pauses work, with a reason that the others see. */
export function PauseDialog({ work, onClose }: Props) {
  const what = workIn(work);

  function pauseIn(form: FormData): object {
    const minutes = Number(form.get('minutes'));
    const until = minutes === 0 ? undefined : new Date(Date.now() + minutes * 60_000);
    return { ...work, until, reason: form.get('reason') };
  }

  return (
    <ChangeDialog
      title={`Pause ${what}?`}
      path="pause"
      bodyOf={pauseIn}
      done={() => `Paused ${what}.`}
      action="Pause"
      onClose={onClose}
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
  );
}

export function workIn({ scope, name }: Work): string {
  return scope === 'all' ? 'all work' : `the ${scope} ${name}`;
}
