import type { ComponentChildren } from 'preact';

/** The head of a column. One of numbers stands at the right, as they do. */
export type Head = ComponentChildren | NumberHead;

interface NumberHead {
  readonly number: string;
}

interface Props {
  readonly title: string;
  readonly head: readonly Head[];
  /** Whether each row is a block of its own on a phone. Its cells have their heads as `data-name`. */
  readonly isStacked?: boolean;
  /** Rows, or groups of rows. */
  readonly children: ComponentChildren;
}

/** A table that scrolls by itself where the screen is narrow. */
export function Table({ title, head, isStacked = false, children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard in every browser.
    <section class="scroll sheet" aria-label={title} tabIndex={0}>
      <table class={isStacked ? 'rows stacked' : 'rows'}>
        <thead>
          <tr>
            {head.map((each, place) => (
              <th scope="col" key={place} class={isOfNumbers(each) ? 'number' : undefined}>
                {isOfNumbers(each) ? each.number : each}
              </th>
            ))}
          </tr>
        </thead>
        {children}
      </table>
    </section>
  );
}

function isOfNumbers(head: Head): head is NumberHead {
  return typeof head === 'object' && head !== null && 'number' in head;
}

/** The head of what can be done to a row. */
export const ACTIONS = <span class="unseen">Actions</span>;
