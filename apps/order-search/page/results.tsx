import type { ResultsView } from '../src/web/views.js';
import { Pieces } from './pieces.js';

interface Props {
  readonly results: ResultsView | undefined;
  readonly isOld: boolean;
  readonly onPage: (before: number | undefined) => void;
  readonly onOpen: (orderNo: number) => void;
}

/** The orders that were found, with what was found in them. */
export function Results({ results, isOld, onPage, onOpen }: Props) {
  if (results === undefined) return null;
  const { orders, before, next, near, ms } = results;
  return (
    <section aria-label="Results" aria-busy={isOld}>
      <p class="hint" role="status">
        {near.length > 0 && (
          <>
            Nothing has exactly that. Shown is what has <strong>{near.join(', ')}</strong>.{' '}
          </>
        )}
        {countOf(results)} in {ms} ms
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
      <div class="buttons">
        {before !== null && (
          <button type="button" onClick={() => onPage(undefined)}>
            Newest orders
          </button>
        )}
        {next !== null && (
          <button type="button" onClick={() => onPage(next)}>
            Older orders
          </button>
        )}
      </div>
    </section>
  );
}

function countOf({ orders, before, next }: ResultsView): string {
  if (before !== null) return `${numberOf(orders.length)} before order ${before},`;
  if (orders.length === 0) return 'Nothing was found,';
  return next === null ? `${numberOf(orders.length)},` : `The newest ${orders.length} orders,`;
}

function numberOf(orders: number): string {
  return orders === 1 ? '1 order' : `${orders} orders`;
}
