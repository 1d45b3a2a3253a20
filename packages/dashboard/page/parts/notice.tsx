import type { ComponentChildren } from 'preact';

interface Props {
  readonly text: string;
  /** What to do about it. */
  readonly children?: ComponentChildren;
}

/** What went wrong, read aloud too. */
export function Notice({ text, children }: Props) {
  return (
    <p class="notice" role="alert">
      {text}
      {children && <span class="buttons">{children}</span>}
    </p>
  );
}
