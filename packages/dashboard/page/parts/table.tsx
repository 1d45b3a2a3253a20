import type { ComponentChildren } from 'preact';

interface Props {
  readonly title: string;
  readonly head: readonly ComponentChildren[];
  /**
   * Whether each row is a block of its own on a phone. Its cells have their heads as `data-name`. Numbers stand to the right on a
   * wide screen, and `words` to the left.
   */
  readonly isStacked?: boolean | 'words';
  /** Rows, or groups of rows. */
  readonly children: ComponentChildren;
}

/** A table that scrolls by itself where the screen is narrow. */
export function Table({ title, head, isStacked = false, children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard in every browser.
    <section class="scroll" aria-label={title} tabIndex={0}>
      <table
        class={['rows', isStacked && 'stacked', isStacked === 'words' && 'words'].filter(Boolean).join(' ')}
      >
        <thead>
          <tr>
            {head.map((each, place) => (
              <th scope="col" key={place}>
                {each}
              </th>
            ))}
          </tr>
        </thead>
        {children}
      </table>
    </section>
  );
}
