import type { LimitView, Stored } from '@rowlock/core';
import { counted, number } from '../format/numbers.js';
import { PauseButton } from '../overview/pause-button.js';
import { Table } from '../parts/table.js';
import { Holders } from './holders.js';
import { Reset } from './reset.js';
import { SetBy } from './set-by.js';

const HEAD = ['Limit', 'Taken', 'Waiting', 'Held by', 'Size', <span class="unseen">Actions</span>];

export function LimitTable({ limits }: { readonly limits: readonly Stored<LimitView>[] }) {
  return (
    <Table title="Limits" head={HEAD}>
      <tbody>
        {limits.map(({ name, max, taken, waiting, holders, setAt, setBy }) => (
          <tr key={name}>
            <th scope="row" class="long">
              {name}
            </th>
            <td class="number">
              {number(taken)} of {max === null ? '?' : number(max)}
              {max !== null && (
                <meter class="slots" max={max} value={taken} aria-label={`Slots of ${name}`} />
              )}
            </td>
            <td class="number">{counted(waiting)}</td>
            <td class="long">
              <Holders holders={holders} />
            </td>
            <td>
              <SetBy at={setAt} by={setBy} />
            </td>
            <td>
              <span class="buttons">
                <PauseButton work={{ scope: 'limit', name }}>Pause</PauseButton>
                {setAt !== null && <Reset of="limit" name={name} />}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
