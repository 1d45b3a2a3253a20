import type { KindsServed, WorkerView } from '../driver/anchor.js';
import type { Lane } from '../driver/lane.js';

/** Whether a worker takes jobs of this kind from this queue. */
export function isServed({ queue, kind }: Lane, workers: readonly WorkerView[]): boolean {
  return serving(kind, workers).some(({ queues }) => queues.includes(queue));
}

/** The queues of the workers that serve a kind, in order. */
export function servedIn(kind: string, workers: readonly WorkerView[]): readonly string[] {
  return [...new Set(serving(kind, workers).flatMap(({ queues }) => queues))].toSorted();
}

/** The kinds that these workers serve, by queue. */
export function kindsByQueue(workers: readonly WorkerView[]): Readonly<Record<string, readonly string[]>> {
  const queues = [...new Set(workers.flatMap((worker) => worker.queues))];
  const kindsOf = (queue: string): readonly string[] =>
    workers.filter((worker) => worker.queues.includes(queue)).flatMap(({ kinds }) => Object.keys(kinds));
  return Object.fromEntries(queues.map((queue) => [queue, [...new Set(kindsOf(queue))]]));
}

/** Kinds, each with those for which it waits wherever it is served. Without those that wait for none. */
export function afterOfKinds(workers: readonly WorkerView[]): KindsServed {
  const kinds = [...new Set(workers.flatMap((worker) => Object.keys(worker.kinds)))];
  const after = kinds.map((kind) => [kind, afterOf(kind, workers)] as const);
  return Object.fromEntries(after.filter(([, first]) => first.length > 0));
}

function afterOf(kind: string, workers: readonly WorkerView[]): readonly string[] {
  const [first = [], ...others] = serving(kind, workers).map(({ kinds }) => kinds[kind] ?? []);
  return first.filter((each) => others.every((after) => after.includes(each)));
}

function serving(kind: string, workers: readonly WorkerView[]): readonly WorkerView[] {
  return workers.filter(({ kinds }) => Object.hasOwn(kinds, kind));
}
