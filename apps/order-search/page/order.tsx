import type { OrderView } from '../src/web/views.js';
import { Changes } from './changes.js';
import { useAnswer } from './use-answer.js';

interface Props {
  readonly orderNo: number;
  /** Grows when the order may have changed. */
  readonly version: number;
  readonly onBack: () => void;
}

/** An order as it is in the 17 tables, and its captured changes. */
export function Order({ orderNo, version, onBack }: Props) {
  const { answer, problem } = useAnswer<OrderView>(`/api/orders/${orderNo}`, version);
  return (
    <article class="order" aria-label={`Order ${orderNo}`}>
      <div class="buttons">
        <button type="button" onClick={onBack}>
          Back to the results
        </button>
      </div>
      <h2>Order {orderNo}</h2>
      {problem !== '' && <p class="notice">{problem}</p>}
      {answer && <Changes changes={answer.changes} />}
      {answer?.tables.map(({ table, rows }) => (
        <section key={table} class="panel">
          <h3>
            {table} <span class="hint">{MEANING[table]}</span>
          </h3>
          <Rows rows={rows} />
        </section>
      ))}
    </article>
  );
}

function Rows({ rows }: Pick<OrderView['tables'][number], 'rows'>) {
  const columns = Object.keys(rows[0] ?? {});
  return (
    <div class="scroll">
      <table class="rows">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column}>{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map((column) => (
                <td key={column} data-name={column}>
                  {row[column]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What the old names stand for. */
const MEANING: Readonly<Record<string, string>> = {
  ordhdr: 'the order',
  cusmst: 'the customer',
  cusadr: 'addresses of the customer',
  cusphn: 'telephones of the customer',
  ordcon: 'persons to speak to',
  orditm: 'lines of the order',
  itmmst: 'items',
  itmtxt: 'texts of items',
  mkrmst: 'makers of items',
  ordser: 'serial numbers',
  ordcmt: 'comments',
  wtynot: 'notes of the warranty desk',
  shphdr: 'shipments',
  shpitm: 'what is in a shipment',
  invhdr: 'invoices',
  paymnt: 'payments',
  rtnhdr: 'returns',
};
