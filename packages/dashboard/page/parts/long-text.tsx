import { useState } from 'preact/hooks';
import { number } from '../format/numbers.js';

/** How much of a text is shown at first, in characters. */
const SHOWN = 300;

/** A text, of which a long one unfolds. */
export function LongText({ text }: { readonly text: string }) {
  const [isOpen, setOpen] = useState(false);
  if (text.length <= SHOWN * 1.2) return <>{text}</>;
  return (
    <>
      {isOpen ? text : `${text.slice(0, SHOWN)}…`}{' '}
      <button type="button" class="quiet small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Show less' : `Show all ${number(text.length)} characters`}
      </button>
    </>
  );
}
