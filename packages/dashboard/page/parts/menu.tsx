import { useId, useRef } from 'preact/hooks';
import { usePage } from '../frame/page.js';

/** A way to another screen, or something that can be done. */
export type Item = { readonly text: string } & ({ readonly to: string } | { readonly onChoose: () => void });

interface Props {
  /** What it is for, for a screen reader. */
  readonly label: string;
  readonly items: readonly Item[];
}

/** A button that opens a list. Escape closes it, and the focus goes back to the button. */
export function Menu({ label, items }: Props) {
  const { go } = usePage();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  if (items.length === 0) return null;

  /** Below the button, or above it where there is no room. */
  function place(): void {
    const from = button.current?.getBoundingClientRect();
    const own = list.current;
    if (from === undefined || own === null) return;
    const { offsetWidth: width, offsetHeight: height } = own;
    own.style.left = `${Math.max(8, Math.min(from.right - width, innerWidth - width - 8))}px`;
    own.style.top = `${from.bottom + height + 8 > innerHeight ? Math.max(8, from.top - height) : from.bottom}px`;
  }

  return (
    <>
      <button type="button" class="more" ref={button} popovertarget={id} aria-label={label}>
        •••
      </button>
      <div popover="auto" class="menu" id={id} ref={list} onToggle={place}>
        {items.map((item, index) => (
          <button
            type="button"
            key={item.text}
            // The first one gets the focus when the list opens.
            autofocus={index === 0}
            onClick={() => {
              list.current?.hidePopover();
              if ('to' in item) go(item.to);
              else item.onChoose();
            }}
          >
            {item.text}
          </button>
        ))}
      </div>
    </>
  );
}
