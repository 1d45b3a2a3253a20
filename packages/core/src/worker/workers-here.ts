import type { Worker } from './worker.js';

/** The workers of this process: they are told of new jobs as soon as these are in the table, and not by way of the database. */
export class WorkersHere {
  readonly #running = new Map<string, Pick<Worker<unknown>, 'queues' | 'wake'>>();
  /** Those that may run still. */
  readonly #all = new Set<Pick<Worker<unknown>, 'stop'>>();

  /** Takes note of a worker until it stops. */
  add<Tx>(worker: Worker<Tx>): Worker<Tx> {
    let id: string | undefined;
    this.#all.add(worker);
    return worker
      .on('start', () => {
        id = worker.id;
        if (id !== undefined) this.#running.set(id, worker);
      })
      .on('stop', () => {
        if (id !== undefined) this.#running.delete(id);
        this.#all.delete(worker);
      });
  }

  /** The ids of those that serve a queue. */
  serving(queue: string): readonly string[] {
    return [...this.#running].flatMap(([id, { queues }]) => (queues.includes(queue) ? id : []));
  }

  /** Stops all of them, as each one's `stop()` does; one that has not started does not start any more. */
  async stop(): Promise<void> {
    await Promise.all([...this.#all].map((worker) => worker.stop()));
  }

  wake(queue: string): void {
    for (const worker of this.#running.values()) if (worker.queues.includes(queue)) worker.wake(queue);
  }
}
