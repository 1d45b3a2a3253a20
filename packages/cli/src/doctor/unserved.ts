import type { Fault } from '@rowlock/core/driver';
import { counted, lasting } from '../output/values.js';
import type { Subject } from './subject.js';

/** Looks for due jobs that no live worker takes. */
export function unserved({ lanes, workers }: Pick<Subject, 'lanes' | 'workers'>): readonly Fault[] {
  const waiting = lanes.filter(({ served, due, paused }) => !served && due.count > paused);
  const [first] = waiting;
  if (first === undefined) return [];
  if (workers.length === 0)
    return [
      {
        severity: 'broken',
        what: `No worker is alive, and jobs are due: ${waiting.map(nameOf).join(', ')}.`,
        why: 'Nobody runs them.',
        remedy: 'Start a worker, and look at why the last one ended.',
      },
    ];
  return waiting.map((lane) => ({
    severity: 'broken',
    what: `No live worker serves ${nameOf(lane)}. The oldest job has been due for ${lasting(lane.oldestDueMs)}.`,
    why: 'The jobs wait for ever.',
    remedy:
      'Start a worker with a handler of this kind, in this queue. Or cancel the jobs: `rowlock jobs cancel`.',
  }));
}

function nameOf({ queue, kind, due }: Subject['lanes'][number]): string {
  return `the kind ${kind} in the queue ${queue} (${counted(due)} due)`;
}
