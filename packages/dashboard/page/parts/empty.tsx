import type { ComponentChildren } from 'preact';

interface Props {
  /** What would stand here, in a sentence. */
  readonly title: string;
  /** How to get it. */
  readonly children?: ComponentChildren;
}

/** In place of a list that has nothing. */
export function Empty({ title, children }: Props) {
  return (
    <section class="empty">
      <p>{title}</p>
      {children}
    </section>
  );
}
