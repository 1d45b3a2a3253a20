import type { Stored } from '@rowlock/core';
import type { LaneView } from '../../src/views.js';
import { counted, number } from '../format/numbers.js';
import { lasting } from '../format/times.js';
import { addressOf } from '../frame/place.js';
import { Link } from '../parts/link.js';
import { Sparkline } from '../parts/sparkline.js';
import { WorkMenu } from '../parts/work-menu.js';

interface Props {
  readonly lane: Stored<LaneView>;
  readonly isPaused: boolean;
  /** Whether to say how many of its jobs are paused. */
  readonly isPart: boolean;
}

/** The jobs of one kind in one queue. A number of nothing steps back, so that the others are seen. */
export function Lane({ lane, isPaused, isPart }: Props) {
  const { queue, kind, due, running, delayed, paused, oldestDueMs, hour, history } = lane;
  const jobs = (status: string): string => addressOf('jobs', { queue, kind, status });
  const done = history.settled.at(-1) ?? 0;
  return (
    <tr>
      <th scope="row" class="long">
        <Link to={addressOf('jobs', { queue, kind })}>{kind}</Link>
        {isPaused && <span class="state paused">paused</span>}
        {isPart && !isPaused && paused > 0 && <span class="state paused">{number(paused)} paused</span>}
        {!lane.served && due.count > 0 && <span class="state unserved">unserved</span>}
      </th>
      <td data-name="Due" class={numberOf(due.count)}>
        <Link to={jobs('new')}>{counted(due)}</Link>
        <Sparkline of={`Due jobs of ${kind}`} values={history.due} />
      </td>
      <td data-name="Oldest" class={numberOf(oldestDueMs ?? 0)}>
        {oldestDueMs === null ? '–' : lasting(oldestDueMs)}
      </td>
      <td data-name="Running" class={numberOf(running)}>
        <Link to={jobs('in-progress')}>{number(running)}</Link>
      </td>
      <td data-name="Delayed" class={numberOf(delayed.count)}>
        {counted(delayed)}
      </td>
      <td data-name="Done / min" class={numberOf(done)}>
        {number(done)}
        <Sparkline of={`Jobs of ${kind} done in a minute`} values={history.settled} />
      </td>
      <td data-name="Failed, 1 h" class={`${numberOf(hour.failed)} ${hour.failed > 0 ? 'bad' : ''}`}>
        <Link to={addressOf('errors', { queue, kind })}>{number(hour.failed)}</Link>
      </td>
      <td data-name="Retried" class={numberOf(hour.retried)}>
        {number(hour.retried)}
      </td>
      <td data-name="Waits, p95" class={numberOf(hour.waitedMs?.p95 ?? 0)}>
        {hour.waitedMs === null ? '–' : lasting(hour.waitedMs.p95)}
      </td>
      <td data-name="Takes" class={numberOf(hour.tookMs?.p95 ?? 0)}>
        {hour.tookMs === null ? '–' : lasting(hour.tookMs.p95)}
      </td>
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

function numberOf(value: number): string {
  return value === 0 ? 'number nought' : 'number';
}
