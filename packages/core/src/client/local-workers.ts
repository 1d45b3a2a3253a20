/** A worker, as far as a client of the same process needs it. */
export interface LocalWorker {
  readonly id: string | undefined;
  readonly queues: readonly string[];
  on(event: 'start' | 'stop', listener: () => void): unknown;
  on(event: 'settled', listener: SettledListener): unknown;
  off(event: 'settled', listener: SettledListener): unknown;
  wake(queue: string): void;
  stop(): Promise<void>;
}

type SettledListener = (run: unknown, endings: ReadonlyMap<string, unknown>) => void;

/** The workers of this process, which the client wakes directly, without the database. */
export class LocalWorkers {
  readonly #running = new Map<string, LocalWorker>();
  /** The workers that may still run. */
  readonly #all = new Set<LocalWorker>();

  /** Adds a worker until it stops. */
  add<One extends LocalWorker>(worker: One): One {
    this.#all.add(worker);
    worker.on('start', () => {
      if (worker.id !== undefined) this.#running.set(worker.id, worker);
    });
    worker.on('stop', () => {
      if (worker.id !== undefined) this.#running.delete(worker.id);
      this.#all.delete(worker);
    });
    return worker;
  }

  /** The ids of the workers that serve a queue. */
  serving(queue: string): readonly string[] {
    return [...this.#running].flatMap(([id, { queues }]) => (queues.includes(queue) ? id : []));
  }

  /** Calls back with the public ids of jobs that are settled. Returns the end of the calls. */
  whenSettled(listener: (publicIds: Iterable<string>) => void): () => void {
    const own: SettledListener = (_, endings) => listener(endings.keys());
    const workers = [...this.#all];
    for (const worker of workers) worker.on('settled', own);
    return () => {
      for (const worker of workers) worker.off('settled', own);
    };
  }

  /** Stops all of them, as each one's `stop()` does. A worker that has not started cannot start any more. */
  async stop(): Promise<void> {
    await Promise.all([...this.#all].map((worker) => worker.stop()));
  }

  wake(queue: string): void {
    for (const worker of this.#running.values()) if (worker.queues.includes(queue)) worker.wake(queue);
  }
}
