import type { Stored } from '@rowlock/core';
import type { OverviewView } from '../../src/views.js';
import { addressOf } from '../frame/place.js';
import { Empty } from '../parts/empty.js';
import { Link } from '../parts/link.js';
import { ACTIONS, Table } from '../parts/table.js';
import { WorkMenu } from '../parts/work-menu.js';
import { Cells } from './cells.js';
import { Lane } from './lane.js';
import { sumOf } from './sum.js';

type Props = Pick<Stored<OverviewView>, 'lanes' | 'pauses'>;

const HEAD = [
  'Kind',
  { number: 'Due' },
  { number: 'Oldest' },
  { number: 'Running' },
  { number: 'Delayed' },
  { number: 'Done / min' },
  { number: 'Failed, 1 h' },
  { number: 'Retried' },
  { number: 'Waits, p95' },
  { number: 'Takes' },
  ACTIONS,
];

/** The jobs of each queue, by kind. */
export function Lanes({ lanes, pauses }: Props) {
  if (lanes.length === 0)
    return (
      <Empty title="There is no job, and there was none within the last hour.">
        <p>Queues and their kinds stand here as soon as a program enqueues one.</p>
      </Empty>
    );
  const queues = [...new Set(lanes.map(({ queue }) => queue))];
  const isPaused = (scope: string, name: string): boolean =>
    pauses.some((pause) => pause.scope === scope && pause.name === name);
  return (
    <Table title="Queues and kinds" head={HEAD} isStacked>
      {queues.map((queue) => {
        const own = lanes.filter((lane) => lane.queue === queue);
        return (
          <tbody key={queue} class="kinds">
            <QueueRow queue={queue} lanes={own} isPaused={isPaused('queue', queue)} />
            {own.map((lane) => (
              <Lane
                lane={lane}
                isPaused={isPaused('kind', lane.kind)}
                // Where all of the queue is paused, it is said of the queue.
                isPart={!isPaused('all', '') && !isPaused('queue', queue)}
                key={lane.kind}
              />
            ))}
          </tbody>
        );
      })}
    </Table>
  );
}

interface QueueProps {
  readonly queue: string;
  readonly lanes: Props['lanes'];
  readonly isPaused: boolean;
}

/** A queue, with the sums of its kinds. That of a single one would say the same twice. */
function QueueRow({ queue, lanes, isPaused }: QueueProps) {
  const isSum = lanes.length > 1;
  return (
    <tr class="group">
      <th scope="rowgroup" colSpan={isSum ? 1 : HEAD.length - 1}>
        <span class="hint">queue</span> <Link to={addressOf('picture', { queue })}>{queue}</Link>
        {isPaused && <span class="state paused">paused</span>}
      </th>
      {isSum && <Cells of={`the queue ${queue}`} numbers={sumOf(lanes)} filter={{ queue }} />}
      <td class="end">
        <WorkMenu
          work={{ scope: 'queue', name: queue }}
          isPaused={isPaused}
          items={[
            { text: 'Locks', to: addressOf('picture', { queue }) },
            { text: 'Replay', to: addressOf('replay', { queue }) },
            { text: 'History', to: addressOf('history', { queue }) },
          ]}
        />
      </td>
    </tr>
  );
}
