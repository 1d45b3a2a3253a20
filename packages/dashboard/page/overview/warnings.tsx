import type { Stored } from '@rowlock/core';
import type { OverviewView } from '../../src/views.js';
import { counted } from '../format/numbers.js';
import { lasting } from '../format/times.js';

type Props = Pick<Stored<OverviewView>, 'lanes' | 'workers'>;

/** What needs somebody: jobs that no worker takes. */
export function Warnings({ lanes, workers }: Props) {
  const unserved = lanes.filter(({ served, due }) => !served && due.count > 0);
  const isAlone = !workers.some(({ alive }) => alive);
  if (!isAlone && unserved.length === 0) return null;
  return (
    <ul class="warnings" aria-label="Warnings">
      {isAlone && <li>No worker is alive. Jobs are kept, and run as soon as a worker starts.</li>}
      {!isAlone &&
        unserved.map(({ queue, kind, due, oldestDueMs }) => (
          <li key={`${queue} ${kind}`}>
            No live worker serves the kind <b>{kind}</b> in the queue <b>{queue}</b>: {counted(due)} due
            {oldestDueMs !== null && `, the oldest for ${lasting(oldestDueMs)}`}.
          </li>
        ))}
    </ul>
  );
}
