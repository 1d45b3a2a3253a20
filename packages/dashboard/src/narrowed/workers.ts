import type { WorkerView } from '@rowlock/core/types';
import { isInScope, type Scope } from '../scope.js';

/** The workers that serve something of a scope, with what they do of it. */
export function workersIn(scope: Scope, workers: readonly WorkerView[]): readonly WorkerView[] {
  return workers
    .map((worker) => workerIn(scope, worker))
    .filter(
      ({ queues, kinds }) =>
        (scope.queues === null || queues.length > 0) &&
        (scope.kinds === null || Object.keys(kinds).length > 0),
    );
}

/** Field by field, so that none is shown that nobody has thought of. */
function workerIn(scope: Scope, worker: WorkerView): WorkerView {
  const { id, name, host, pid, version, memory, concurrency, alive, startedAt } = worker;
  const running = worker.running.filter((each) => isInScope(scope, each));
  const queues = worker.queues.filter(
    (queue) => scope.queues?.includes(queue) ?? running.some((each) => each.queue === queue),
  );
  // A worker names the kinds of all its queues together.
  const shownKinds = Object.keys(worker.kinds).filter(
    (kind) => scope.kinds?.includes(kind) ?? running.some((each) => each.kind === kind),
  );
  return {
    ...{ id, name, host, pid, version, memory, concurrency, alive, startedAt, running, queues },
    schedules: [],
    kinds: Object.fromEntries(shownKinds.map((kind) => [kind, []])),
    // A line is at a job of any kind.
    lines:
      scope.kinds === null
        ? Object.fromEntries(queues.map((queue) => [queue, worker.lines[queue] ?? null]))
        : {},
  };
}
