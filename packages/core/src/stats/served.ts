import type { WorkerView } from '../driver/anchor.js';
import type { Lane } from '../driver/statistics.js';

/** Whether a worker takes jobs of this kind from this queue. */
export function isServed({ queue, kind }: Lane, workers: readonly WorkerView[]): boolean {
  return workers.some((worker) => serves(worker, kind) && worker.queues.includes(queue));
}

/** The queues of the workers that serve a kind, in order. */
export function servedIn(kind: string, workers: readonly WorkerView[]): readonly string[] {
  const serving = workers.filter((worker) => serves(worker, kind));
  return [...new Set(serving.flatMap(({ queues }) => queues))].toSorted();
}

function serves({ kinds }: WorkerView, kind: string): boolean {
  return Object.hasOwn(kinds, kind);
}
