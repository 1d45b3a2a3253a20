import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { RequestFailed } from '../frame/ask.js';
import { SignIn } from '../frame/sign-in.js';
import { Dialog } from './dialog.js';
import { Notice } from './notice.js';
import { useChange } from './use-change.js';

interface Props {
  readonly title: string;
  readonly path: string;
  /** What the form means. An error that it throws is shown. */
  readonly bodyOf: (form: FormData) => object;
  /** What to say when it is done. An error that it throws says why nothing was changed. */
  readonly done: (answer: unknown, form: FormData) => string;
  /** The name of the button. */
  readonly action: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A form for one change. It stays, with what was typed, until the change is made or the viewer goes back. */
export function ChangeDialog({ title, path, bodyOf, done, action, onClose, children }: Props) {
  const [failure, setFailure] = useState<RequestFailed>();
  const { isBusy, make } = useChange(setFailure);

  async function save(form: FormData): Promise<void> {
    setFailure(undefined);
    try {
      if (await make(path, bodyOf(form), (answer) => done(answer, form))) onClose();
    } catch (error) {
      setFailure(new RequestFailed(error instanceof Error ? error.message : String(error)));
    }
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save(new FormData(event.currentTarget));
        }}
      >
        {children}
        <Notice text={failure?.message ?? ''}>{failure?.trouble === 'signed-out' && <SignIn />}</Notice>
        <p class="buttons">
          <button type="submit" class="primary" disabled={isBusy}>
            {action}
          </button>
          <button type="button" onClick={onClose}>
            Back
          </button>
        </p>
      </form>
    </Dialog>
  );
}
