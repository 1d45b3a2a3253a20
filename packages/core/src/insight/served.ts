import type { KindsServed, WorkerView } from '../driver/anchor.js';
import type { Lane } from '../driver/lane.js';

/** Whether a worker takes jobs of this kind from this queue. */
export function isServed({ queue, kind }: Lane, workers: readonly WorkerView[]): boolean {
  return workers.some((worker) => serves(worker, kind) && worker.queues.includes(queue));
}

/** The queues of the workers that serve a kind, in order. */
export function servedIn(kind: string, workers: readonly WorkerView[]): readonly string[] {
  const serving = workers.filter((worker) => serves(worker, kind));
  return [...new Set(serving.flatMap(({ queues }) => queues))].toSorted();
}

/** Kinds, each with those for which it waits wherever it is served. Without those that wait for none. */
export function afterOfKinds(workers: readonly WorkerView[]): KindsServed {
  const kinds = [...new Set(workers.flatMap((worker) => Object.keys(worker.kinds)))];
  const after = kinds.map((kind) => [kind, afterOf(kind, workers)] as const);
  return Object.fromEntries(after.filter(([, first]) => first.length > 0));
}

function afterOf(kind: string, workers: readonly WorkerView[]): readonly string[] {
  const [first = [], ...others] = workers.flatMap(({ kinds }) => (kinds[kind] ? [kinds[kind]] : []));
  return first.filter((each) => others.every((after) => after.includes(each)));
}

function serves({ kinds }: WorkerView, kind: string): boolean {
  return Object.hasOwn(kinds, kind);
}
