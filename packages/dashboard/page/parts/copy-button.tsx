import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';

interface Props {
  readonly textOf: () => string;
  readonly children: ComponentChildren;
}

/** How long the button says that it was done, in milliseconds. */
const SAID_MS = 2_000;

/** Copies a text. */
export function CopyButton({ textOf, children }: Props) {
  const [said, setSaid] = useState('');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  async function copy(): Promise<void> {
    const isDone = await copyText(textOf());
    setSaid(isDone ? 'Copied' : 'The browser does not allow it');
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setSaid(''), SAID_MS);
  }

  return (
    <>
      <button type="button" class="small" onClick={() => void copy()}>
        {said || children}
      </button>
      <span class="unseen" role="status">
        {said}
      </span>
    </>
  );
}

/** On plain http there is no `navigator.clipboard`, and only what is selected can be copied. */
async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  return isDone;
}
