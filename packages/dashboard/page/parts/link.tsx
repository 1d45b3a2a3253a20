import type { ComponentChildren } from 'preact';
import { usePage } from '../frame/page.js';

interface Props {
  readonly to: string;
  readonly current?: boolean;
  readonly children: ComponentChildren;
}

/** Leads to another screen without loading the page again. With a modifier key it opens a tab, as every link. */
export function Link({ to, current = false, children }: Props) {
  const { go } = usePage();
  return (
    <a
      href={to}
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
