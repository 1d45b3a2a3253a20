import type { Stored } from '@rowlock/core';
import type { LaneView } from '../../src/views.js';
import { counted, number } from '../format/numbers.js';
import { lasting } from '../format/times.js';
import { addressOf } from '../frame/place.js';
import { Act } from '../parts/act.js';
import { Link } from '../parts/link.js';
import { Sparkline } from '../parts/sparkline.js';
import { PauseButton } from './pause-button.js';

interface Props {
  readonly lane: Stored<LaneView>;
  readonly isPaused: boolean;
}

/** The jobs of one kind in one queue. */
export function Lane({ lane, isPaused }: Props) {
  const { queue, kind, due, running, delayed, paused, oldestDueMs, hour, history } = lane;
  const jobs = (status: string): string => addressOf('jobs', { queue, kind, status });
  return (
    <tr>
      <th scope="row">
        {kind}
        {isPaused && <span class="state paused">paused</span>}
        {!lane.served && due.count > 0 && <span class="state error">unserved</span>}
      </th>
      <td data-name="Due" class="number">
        <Link to={jobs('new')}>{counted(due)}</Link>
        <Sparkline of={`Due jobs of ${kind}`} values={history.due} />
      </td>
      <td data-name="Running" class="number">
        <Link to={jobs('in-progress')}>{number(running)}</Link>
      </td>
      <td data-name="Delayed" class="number">
        {counted(delayed)}
      </td>
      <td data-name="Paused" class="number">
        {number(paused)}
      </td>
      <td data-name="Oldest due" class="number">
        {oldestDueMs === null ? '–' : lasting(oldestDueMs)}
      </td>
      <td data-name="Done a minute" class="number">
        {number(history.settled.at(-1) ?? 0)}
        <Sparkline of={`Jobs of ${kind} done in a minute`} values={history.settled} />
      </td>
      <td data-name="Failed, 1 h" class={`number ${hour.failed > 0 ? 'bad' : ''}`}>
        <Link to={addressOf('errors', { queue, kind })}>{number(hour.failed)}</Link>
      </td>
      <td data-name="Retried, 1 h" class="number">
        {number(hour.retried)}
      </td>
      <td data-name="Waits, p95" class="number">
        {hour.waitedMs === null ? '–' : lasting(hour.waitedMs.p95)}
      </td>
      <td data-name="Takes, p95" class="number">
        {hour.tookMs === null ? '–' : lasting(hour.tookMs.p95)}
      </td>
      <td>
        {isPaused ? (
          <Act
            permission="pause"
            path="resume"
            body={{ scope: 'kind', name: kind }}
            done={`Resumed the kind ${kind}.`}
            label={`Resume the kind ${kind}`}
          >
            Resume
          </Act>
        ) : (
          <PauseButton work={{ scope: 'kind', name: kind }}>Pause</PauseButton>
        )}
      </td>
    </tr>
  );
}
