/** Not before which time a job may start, in the time of the browser. Empty: at once. */
export function NotBeforeField({ value = '' }: { readonly value?: string }) {
  return (
    <label>
      Not before
      <input type="datetime-local" name="runAt" defaultValue={value} />
    </label>
  );
}

export function PriorityField({ value }: { readonly value: number }) {
  return (
    <label>
      Priority (lower runs sooner)
      <input type="number" name="priority" min={-32768} max={32767} required defaultValue={value} />
    </label>
  );
}

export function KeyField({ value }: { readonly value: string | null }) {
  return (
    <label>
      Key
      <input name="key" defaultValue={value ?? ''} maxLength={512} />
    </label>
  );
}

/** What these fields mean, as the server takes it. A time that is empty, or is `before`, is left out. */
export function notBeforeIn(form: FormData, before = ''): { readonly runAt?: string } {
  const value = textIn(form, 'runAt');
  return value === '' || value === before ? {} : { runAt: new Date(value).toISOString() };
}

export function priorityIn(form: FormData): number {
  return Number(form.get('priority'));
}

/** What was typed in a field of this name. */
export function textIn(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
