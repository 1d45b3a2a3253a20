import type { Stored } from '@rowlock/core';
import type { LaneView } from '../../src/views.js';
import { number } from '../format/numbers.js';
import { addressOf } from '../frame/place.js';
import { Link } from '../parts/link.js';
import { WorkMenu } from '../parts/work-menu.js';
import { Cells } from './cells.js';

interface Props {
  readonly lane: Stored<LaneView>;
  readonly isPaused: boolean;
  /** Whether to say how many of its jobs are paused. */
  readonly isPart: boolean;
}

/** The jobs of one kind in one queue. */
export function Lane({ lane, isPaused, isPart }: Props) {
  const { queue, kind, due, paused } = lane;
  return (
    <tr>
      <th scope="row" class="long">
        <Link to={addressOf('jobs', { queue, kind })}>{kind}</Link>
        {isPaused && <span class="state paused">paused</span>}
        {isPart && !isPaused && paused > 0 && <span class="state paused">{number(paused)} paused</span>}
        {!lane.served && due.count > 0 && <span class="state unserved">unserved</span>}
      </th>
      <Cells of={kind} numbers={lane} filter={{ queue, kind }} />
      <td class="end">
        <WorkMenu
          work={{ scope: 'kind', name: kind }}
          isPaused={isPaused}
          items={[
            { text: 'Runs', to: addressOf('runs', { queue, kind }) },
            { text: 'History', to: addressOf('history', { queue, kind }) },
          ]}
        />
      </td>
    </tr>
  );
}
