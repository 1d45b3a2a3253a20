import type { Stored } from '@rowlock/core';
import type { CaptureCheck } from '@rowlock/core/types';
import type { OverviewView } from '../../src/views.js';
import { counted } from '../format/numbers.js';
import { lasting } from '../format/times.js';
import { useAnswer } from '../frame/use-answer.js';

type Props = Pick<Stored<OverviewView>, 'lanes' | 'workers'>;

/** How often captures are looked at, in milliseconds. */
const CAPTURES_MS = 60_000;

/** What needs somebody: jobs that no worker takes, and changes that do not become jobs. */
export function Warnings({ lanes, workers }: Props) {
  const { answer: captures = [] } = useAnswer<Stored<readonly CaptureCheck[]>>('captures', CAPTURES_MS);
  const unserved = lanes.filter(({ served, due }) => !served && due.count > 0);
  const isAlone = !workers.some(({ alive }) => alive);
  if (!isAlone && unserved.length === 0 && captures.length === 0) return null;
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
      {captures.map(({ name, problems }) => (
        <li key={`capture ${name}`}>
          Changes may not become jobs, by the capture <b>{name}</b>: {problems[0]?.message}
          {problems.length > 1 && ` And ${problems.length - 1} more.`}
        </li>
      ))}
    </ul>
  );
}
