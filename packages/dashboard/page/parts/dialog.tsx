import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { markUnsaved, mayLeave } from '../frame/unsaved.js';

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/**
 * Asks something. Escape closes it, if what was typed may go, and the focus goes back to the button that has opened it.
 */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();

  // Before anybody can type: what is typed belongs to the dialog.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    document.addEventListener('keydown', keepTyped);
    return () => {
      document.removeEventListener('keydown', keepTyped);
      element?.close();
    };
  }, []);

  return (
    <dialog ref={dialog} aria-labelledby={id} onInput={markUnsaved} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/**
 * At the key, because a second Escape closes a dialog whatever becomes of its event `cancel`, and wherever the focus is: a
 * button that is disabled while it works has lost it.
 */
function keepTyped(event: KeyboardEvent): void {
  if (event.key === 'Escape' && !event.isComposing && !mayLeave()) event.preventDefault();
}
