import type { WorkerEvents } from '@rowlock/core';
import type { WorkerOfPlugin } from '@rowlock/core/types';

/** Listens to a worker's event. @returns ends it */
export function on<Name extends keyof WorkerEvents>(
  worker: WorkerOfPlugin,
  name: Name,
  listener: (...given: WorkerEvents[Name]) => void,
): () => void {
  worker.on(name, listener);
  return () => worker.off(name, listener);
}
