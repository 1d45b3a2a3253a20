import type { ComponentChildren } from 'preact';

/** What stands on a screen that has nothing: what would be there, and how it gets there. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
