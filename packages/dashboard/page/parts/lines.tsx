import { useState } from 'preact/hooks';

/** More lines, or characters, may be higher than the box. */
const LINES = 18;
const CHARACTERS = 2_000;

/** A text of several lines, which scrolls by itself, and unfolds. */
export function Lines({ text }: { readonly text: string }) {
  const [isOpen, setOpen] = useState(false);
  const isLong = text.length > CHARACTERS || text.split('\n').length > LINES;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard in every browser. */}
      <pre tabIndex={0} class={isOpen ? 'open' : undefined}>
        {text}
      </pre>
      {isLong && (
        <button type="button" class="quiet small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Fold' : 'Unfold'}
        </button>
      )}
    </>
  );
}

/** Where an error was thrown. */
export function Stack({ text }: { readonly text: string }) {
  return <Lines text={text.replaceAll(/^\s+at /gm, '  at ')} />;
}
