/** Where something was typed that is not saved yet. */
export const UNSAVED = '[data-unsaved]';

/** Marks a form, or a dialog, at each input. */
export function markUnsaved({ currentTarget }: { readonly currentTarget: HTMLElement }): void {
  currentTarget.dataset.unsaved = '';
}

/** For what was typed and is saved by now. */
export function markSaved(form: HTMLElement): void {
  delete form.dataset.unsaved;
}

/** Whether what is shown may go away: nothing was typed there, or the viewer gives it up. */
export function mayLeave(): boolean {
  return !isUnsaved() || confirm('What you have typed is not saved. Leave it?');
}

/** The browser shows such a question before the page is closed or loaded anew. Returns the end of it. */
export function guardUnsaved(): () => void {
  const guard = (event: BeforeUnloadEvent): void => {
    if (isUnsaved()) event.preventDefault();
  };
  addEventListener('beforeunload', guard);
  return () => removeEventListener('beforeunload', guard);
}

function isUnsaved(): boolean {
  return document.querySelector(UNSAVED) !== null;
}
