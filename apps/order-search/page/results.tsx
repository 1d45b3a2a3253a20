import type { ResultsView } from '../src/web/views.js';
import { Pieces } from './pieces.js';

interface Props {
  readonly results: ResultsView | undefined;
  readonly isOld: boolean;
  readonly onOpen: (orderNo: number) => void;
}

/** The orders that were found, with what was found in them. */
export function Results({ results, isOld, onOpen }: Props) {
  if (results === undefined) return null;
  const { orders, hasMore, ms } = results;
  return (
    <section aria-label="Results" aria-busy={isOld}>
      <p class="hint" role="status">
        {countOf(orders.length, hasMore)} in {ms} ms
      </p>
      <ol class="results">
        {orders.map(({ orderNo, title, lines }) => (
          <li key={orderNo} class="panel">
            <h2>
              <button type="button" class="quiet" onClick={() => onOpen(orderNo)}>
                Order {orderNo}
              </button>
              <span class="hint">{title}</span>
            </h2>
            <dl>
              {lines.map(({ source, pieces }, index) => (
                <div key={index}>
                  <dt>{source}</dt>
                  <dd>
                    <Pieces pieces={pieces} />
                  </dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
      </ol>
    </section>
  );
}

function countOf(found: number, hasMore: boolean): string {
  if (found === 0) return 'Nothing was found,';
  if (hasMore) return `The best ${found} orders,`;
  return found === 1 ? '1 order,' : `${found} orders,`;
}
