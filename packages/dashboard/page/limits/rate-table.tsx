import type { RateView, Stored } from '@rowlock/core';
import { counted, number } from '../format/numbers.js';
import { lasting } from '../format/times.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { Reset } from './reset.js';
import { SetBy } from './set-by.js';

const HEAD = [
  'Rate',
  'Starts',
  'At once',
  'Next start',
  'Waiting',
  'Numbers',
  <span class="unseen">Actions</span>,
];

export function RateTable({ rates }: { readonly rates: readonly Stored<RateView>[] }) {
  return (
    <Table title="Rates" head={HEAD}>
      <tbody>
        {rates.map(({ name, limit, perMs, burst, nextAt, waiting, setAt, setBy }) => (
          <tr key={name}>
            <th scope="row" class="long">
              {name}
            </th>
            <td class="number">
              {limit === null || perMs === null ? '–' : `${number(limit)} in ${lasting(perMs)}`}
            </td>
            <td class="number">{burst === null ? '–' : number(burst)}</td>
            <td class="number">{nextAt === null ? 'now' : <Time at={nextAt} />}</td>
            <td class="number">{counted(waiting)}</td>
            <td>
              <SetBy at={setAt} by={setBy} />
            </td>
            <td>{setAt !== null && <Reset of="rate" name={name} />}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
