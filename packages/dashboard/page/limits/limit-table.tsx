import type { Stored } from '@rowlock/core';
import type { LimitView } from '@rowlock/core/types';
import { counted, number } from '../format/numbers.js';
import { lasting } from '../format/times.js';
import { useCan } from '../frame/page.js';
import type { Item } from '../parts/menu.js';
import { ACTIONS, Table } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { useChange } from '../parts/use-change.js';
import { WorkMenu } from '../parts/work-menu.js';
import { Holders } from './holders.js';

const HEAD = [
  'Limit',
  'Slots',
  'Held by',
  'Starts',
  { number: 'Next start' },
  { number: 'Waiting' },
  ACTIONS,
];

interface Props {
  readonly limits: readonly Stored<LimitView>[];
  /** Their names. */
  readonly paused: readonly string[];
  /** Asks for the numbers of a limit. */
  readonly onSet: (name: string) => void;
}

export function LimitTable({ limits, paused, onSet }: Props) {
  return (
    <Table title="Limits" head={HEAD} isStacked>
      <tbody>
        {limits.map((limit) => (
          <LimitRow
            limit={limit}
            isPaused={paused.includes(limit.name)}
            onSet={() => onSet(limit.name)}
            key={limit.name}
          />
        ))}
      </tbody>
    </Table>
  );
}

interface RowProps {
  readonly limit: Stored<LimitView>;
  readonly isPaused: boolean;
  readonly onSet: () => void;
}

function LimitRow({ limit, isPaused, onSet }: RowProps) {
  const { name, max, taken, holders, starts, nextAt, waiting, setAt, setBy } = limit;
  const can = useCan('limits');
  const { make } = useChange();
  const set: Item = { text: 'Set …', onChoose: onSet };
  const reset: Item = {
    text: 'Reset',
    onChoose: () => void make('limits/reset', { name }, `The limit ${name} is as the handlers say again.`),
  };
  return (
    <tr>
      <th scope="row" class="long">
        {name}
        {isPaused && <span class="state paused">paused</span>}
        {setAt !== null && (
          <div class="hint">
            set by {setBy}, <Time at={setAt} />
          </div>
        )}
      </th>
      <td data-name="Slots" class={max === null && taken === 0 ? 'nought' : ''}>
        <Taken {...limit} />
      </td>
      <td data-name="Held by" class={holders.length === 0 ? 'nought' : 'long wide'}>
        <Holders holders={holders} />
      </td>
      <td data-name="Starts" class={starts === null ? 'nought' : ''}>
        {startsOf(limit)}
      </td>
      <td data-name="Next start" class={starts === null ? 'number nought' : 'number'}>
        {starts === null ? '–' : nextAt === null ? 'now' : <Time at={nextAt} />}
      </td>
      <td data-name="Waiting" class={waiting.count === 0 ? 'number nought' : 'number'}>
        {counted(waiting)}
      </td>
      <td class="end">
        <WorkMenu
          work={{ scope: 'limit', name }}
          isPaused={isPaused}
          items={can ? (setAt === null ? [set] : [set, reset]) : []}
        />
      </td>
    </tr>
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
