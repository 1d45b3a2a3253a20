import type { ComponentChildren } from 'preact';
import { usePage } from '../frame/page.js';

interface Props {
  readonly to: string;
  readonly current?: boolean;
  /** Whether it stands among buttons. */
  readonly isButton?: boolean;
  readonly children: ComponentChildren;
}

/** Leads to another screen without loading the page again. With a modifier key it opens a tab, as every link. */
export function Link({ to, current = false, isButton = false, children }: Props) {
  const { go } = usePage();
  return (
    <a
      href={to}
      class={isButton ? 'button small' : undefined}
      aria-current={current ? 'page' : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}
