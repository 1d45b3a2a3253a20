import type { Stored } from '@rowlock/core';
import type { Trend } from '@rowlock/core/types';
import { number } from '../format/numbers.js';
import { lasting } from '../format/times.js';
import { Empty } from '../parts/empty.js';
import { Table } from '../parts/table.js';
import { isIn, type Zoom } from './zoom.js';

const HEAD = [
  'From',
  { number: 'Settled' },
  { number: 'Completed' },
  { number: 'Failed' },
  { number: 'Cancelled' },
  { number: 'Retried' },
  { number: 'Waited, half' },
  { number: 'Waited, 95 %' },
  { number: 'Took, half' },
  { number: 'Took, 95 %' },
];

type Point = Stored<Trend>['points'][number];

interface Props {
  readonly trend: Stored<Trend>;
  readonly zoom: Zoom;
}

/** The same as the charts, in rows, newest first. Points without a job are left out. */
export function TrendTable({ trend, zoom }: Props) {
  const { points, stepSeconds } = trend;
  const counted = points.filter((point) => isIn(zoom, point.at) && hasWork(point));
  if (counted.length === 0)
    return (
      <Empty title="Nothing was settled in this time.">
        <p>What workers settle is counted here by the minute.</p>
      </Empty>
    );
  return (
    <details>
      <summary>In numbers, of {lasting(stepSeconds * 1_000)} each</summary>
      <Table title="Settled jobs over time" head={HEAD}>
        <tbody>
          {counted
            .toReversed()
            .map(({ at, settled, completed, failed, cancelled, retried, waitedMs, tookMs }) => (
              <tr key={at}>
                <th scope="row">
                  <time dateTime={at}>{new Date(at).toLocaleString()}</time>
                </th>
                {[settled, completed, failed, cancelled, retried].map((count, place) => (
                  <td class={count === 0 ? 'number nought' : 'number'} key={place}>
                    {number(count)}
                  </td>
                ))}
                {[waitedMs?.p50, waitedMs?.p95, tookMs?.p50, tookMs?.p95].map((ms, place) => (
                  <td class="number" key={place}>
                    {ms === undefined ? '–' : lasting(ms)}
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </Table>
    </details>
  );
}

/** Whether anything was done in the time of a point. */
export function hasWork({ settled, retried, waitedMs }: Point): boolean {
  return settled + retried > 0 || waitedMs !== null;
}
