import type { KindView } from '../../src/views.js';
import { usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { Empty } from '../parts/empty.js';

interface Props {
  readonly kinds: readonly KindView[];
  /** What is made of the kind that the address has, or of the first one. */
  readonly children: (kind: KindView) => preact.ComponentChildren;
}

/** A choice of the kinds whose handlers this program has. */
export function KindChoice({ kinds, children }: Props) {
  const { place, go } = usePage();
  const wanted = place.query.get('kind');
  const kind = kinds.find((each) => each.kind === wanted) ?? kinds[0];
  if (kind === undefined)
    return (
      <Empty title="The kinds whose handlers this program has stand here. It has none.">
        <p>
          Pass <code>handlers</code> or <code>plugins</code> to the <code>rowlock</code> of this page.
        </p>
      </Empty>
    );
  return (
    <>
      <label class="inline">
        Kind
        <select
          value={kind.kind}
          onChange={({ currentTarget }) => {
            const { value } = currentTarget;
            // As it is, unless the viewer leaves what was typed.
            currentTarget.value = kind.kind;
            go(addressOf(place.screen, { kind: value }));
          }}
        >
          {kinds.map((each) => (
            <option value={each.kind} key={each.kind}>
              {each.kind}
            </option>
          ))}
        </select>
        <span class="hint">in the queue {kind.queue}</span>
      </label>
      {children(kind)}
    </>
  );
}
