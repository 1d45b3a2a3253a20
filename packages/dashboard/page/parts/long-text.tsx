import { useState } from 'preact/hooks';
import { number } from '../format/numbers.js';

interface Props {
  readonly text: string;
  /** How much of it is shown at first, in characters. */
  readonly shown?: number;
}

/** A text, of which a long one unfolds. */
export function LongText({ text, shown = 300 }: Props) {
  const [isOpen, setOpen] = useState(false);
  if (text.length <= shown * 1.2) return <>{text}</>;
  return (
    <>
      {isOpen ? text : `${text.slice(0, shown)}…`}{' '}
      <button type="button" class="quiet small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Show less' : `Show all ${number(text.length)} characters`}
      </button>
    </>
  );
}
