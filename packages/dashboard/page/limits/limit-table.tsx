import type { Stored } from '@rowlock/core';
import type { LimitView } from '@rowlock/core/types';
import { counted, number } from '../format/numbers.js';
import { lasting } from '../format/times.js';
import { PauseButton } from '../overview/pause-button.js';
import { Act } from '../parts/act.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { Holders } from './holders.js';
import { SetLimit } from './set-limit.js';

const HEAD = [
  'Limit',
  'Taken',
  'Held by',
  'Starts',
  'Next start',
  'Waiting',
  'Numbers',
  <span class="unseen">Actions</span>,
];

interface Props {
  readonly limits: readonly Stored<LimitView>[];
}

export function LimitTable({ limits }: Props) {
  return (
    <Table title="Limits" head={HEAD}>
      <tbody>
        {limits.map((limit) => (
          <tr key={limit.name}>
            <th scope="row" class="long">
              {limit.name}
            </th>
            <td class="number">
              <Taken {...limit} />
            </td>
            <td class="long">
              <Holders holders={limit.holders} />
            </td>
            <td class="number">{startsOf(limit)}</td>
            <td class="number">
              {limit.starts === null ? '–' : limit.nextAt === null ? 'now' : <Time at={limit.nextAt} />}
            </td>
            <td class="number">{counted(limit.waiting)}</td>
            <td>
              <SetBy {...limit} />
            </td>
            <td>
              <span class="buttons">
                <PauseButton work={{ scope: 'limit', name: limit.name }}>Pause</PauseButton>
                <SetLimit limit={limit} label={`Set the limit ${limit.name}`}>
                  Set
                </SetLimit>
                {limit.setAt !== null && <Reset name={limit.name} />}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Taken({ name, max, taken }: Stored<LimitView>) {
  if (max === null) return <>{taken === 0 ? '–' : number(taken)}</>;
  return (
    <>
      {number(taken)} of {number(max)}
      <meter class="slots" max={max} value={taken} aria-label={`Slots of ${name}`} />
    </>
  );
}

function startsOf({ starts, perMs, burst }: Stored<LimitView>): string {
  if (starts === null || perMs === null || burst === null) return '–';
  return `${number(starts)} in ${lasting(perMs)}${burst === 1 ? '' : `, ${number(burst)} at once`}`;
}

/** Who has set the numbers, and when. */
function SetBy({ setAt, setBy }: Stored<LimitView>) {
  if (setAt === null) return <span class="hint">as the handlers say</span>;
  return (
    <>
      set by {setBy}, <Time at={setAt} />
    </>
  );
}

/** A button that gives a limit back to what the handlers say. */
function Reset({ name }: { readonly name: string }) {
  return (
    <Act
      permission="limits"
      path="limits/reset"
      body={{ name }}
      done={`The limit ${name} is as the handlers say again.`}
      label={`Reset the limit ${name}`}
    >
      Reset
    </Act>
  );
}
