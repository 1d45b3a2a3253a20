import type { Stored } from '@rowlock/core';
import type { Trend } from '@rowlock/core/types';
import { number } from '../format/numbers.js';
import { lasting } from '../format/times.js';
import { Table } from '../parts/table.js';

const HEAD = [
  'From',
  'Settled',
  'Completed',
  'Failed',
  'Cancelled',
  'Retried',
  'Waited, half',
  'Waited, 95 %',
];

/** The same as the charts, in rows, newest first. Points without a job are left out. */
export function TrendTable({ trend }: { readonly trend: Stored<Trend> }) {
  const { points, stepSeconds } = trend;
  const counted = points.filter(
    ({ settled, retried, waitedMs }) => settled + retried > 0 || waitedMs !== null,
  );
  if (counted.length === 0) return <p class="hint">Nothing was settled in this time.</p>;
  return (
    <details>
      <summary>In numbers, of {lasting(stepSeconds * 1_000)} each</summary>
      <Table title="Settled jobs over time" head={HEAD}>
        <tbody>
          {counted.toReversed().map(({ at, settled, completed, failed, cancelled, retried, waitedMs }) => (
            <tr key={at}>
              <th scope="row">
                <time dateTime={at}>{new Date(at).toLocaleString()}</time>
              </th>
              {[settled, completed, failed, cancelled, retried].map((count, place) => (
                <td class="number" key={place}>
                  {number(count)}
                </td>
              ))}
              <td class="number">{waitedMs === null ? '–' : lasting(waitedMs.p50)}</td>
              <td class="number">{waitedMs === null ? '–' : lasting(waitedMs.p95)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </details>
  );
}
