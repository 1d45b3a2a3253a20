import type { Stored } from '@rowlock/core';
import type { OverviewView } from '../../src/views.js';
import { addressOf } from '../frame/place.js';
import { Act } from '../parts/act.js';
import { Link } from '../parts/link.js';
import { Table } from '../parts/table.js';
import { Lane } from './lane.js';
import { PauseButton } from './pause-button.js';

type Props = Pick<Stored<OverviewView>, 'lanes' | 'pauses'>;

const HEAD = [
  'Kind',
  'Due',
  'Running',
  'Delayed',
  'Paused',
  'Oldest due',
  'Done a minute',
  'Failed, 1 h',
  'Retried, 1 h',
  'Waits, p95',
  'Takes, p95',
  <span class="unseen">Actions</span>,
];

/** The jobs of each queue, by kind. */
export function Lanes({ lanes, pauses }: Props) {
  if (lanes.length === 0)
    return <p class="hint">There is no job, and there was none within the last hour.</p>;
  const queues = [...new Set(lanes.map(({ queue }) => queue))];
  const isPaused = (scope: string, name: string): boolean =>
    pauses.some((pause) => pause.scope === scope && pause.name === name);
  return (
    <Table title="Queues and kinds" head={HEAD} isStacked>
      {queues.map((queue) => (
        <tbody key={queue}>
          <tr class="group">
            <th scope="rowgroup" colSpan={HEAD.length - 1}>
              <span class="hint">queue</span> <Link to={addressOf('picture', { queue })}>{queue}</Link>
              {isPaused('queue', queue) && <span class="state paused">paused</span>}
            </th>
            <td>
              {isPaused('queue', queue) ? (
                <Act
                  permission="pause"
                  path="resume"
                  body={{ scope: 'queue', name: queue }}
                  done={`Resumed the queue ${queue}.`}
                  label={`Resume the queue ${queue}`}
                >
                  Resume
                </Act>
              ) : (
                <PauseButton work={{ scope: 'queue', name: queue }}>Pause</PauseButton>
              )}
            </td>
          </tr>
          {lanes
            .filter((lane) => lane.queue === queue)
            .map((lane) => (
              <Lane lane={lane} isPaused={isPaused('kind', lane.kind)} key={lane.kind} />
            ))}
        </tbody>
      ))}
    </Table>
  );
}
