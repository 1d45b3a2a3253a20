import {
  type Anchor,
  concerns,
  merged,
  type SessionListener,
  type WakeUp,
  type WakeUpOptions,
  type WorkerLines,
} from '@rowlock/core/driver';
import type { Database } from '../engine/database.js';
import type { Process } from '../engine/process.js';
import type { WorkerRow } from '../engine/rows.js';
import { turn } from '../engine/turn.js';
import { keepWorker, reportLines, stopWorker } from './statements/workers.js';

/** The longest delay of a Node timer, in milliseconds. A worker that wakes too early waits again. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A worker's session, which proves the worker alive and receives wake-ups. */
export class MemoryAnchor implements Anchor {
  readonly proof = 'session';
  readonly pushed = true;
  readonly #worker: WorkerRow;
  readonly #database: Database;
  readonly #process: Process;
  readonly #session: SessionListener | undefined;
  readonly #received: WakeUp[] = [];
  #signal: () => void = () => {};
  #released = false;

  private constructor(
    database: Database,
    process: Process,
    worker: WorkerRow,
    session: SessionListener | undefined,
  ) {
    this.#database = database;
    this.#process = process;
    this.#worker = worker;
    this.#session = session;
  }

  /** Opens the worker's session. */
  static open(
    database: Database,
    process: Process,
    worker: WorkerRow,
    session?: SessionListener,
  ): MemoryAnchor {
    const anchor = new MemoryAnchor(database, process, worker, session);
    process.check();
    anchor.#connect();
    return anchor;
  }

  get workerId(): string {
    return this.#worker.id;
  }

  async *wakeUps({ queues, everyMs, signal }: WakeUpOptions): AsyncGenerator<WakeUp> {
    const stop = (): void => this.#signal();
    signal.addEventListener('abort', stop);
    try {
      // The session is open before this hint to look. The look finds jobs that were enqueued earlier.
      yield {};
      let due = performance.now() + everyMs;
      while (!signal.aborted && !this.#released) {
        await this.#wait(due - performance.now());
        if (signal.aborted || this.#released) return;
        const received = this.#received.splice(0);
        const wanted = received.filter((each) => concerns(each, queues, this.workerId));
        // Wake-ups for other queues do not delay the look that is due.
        const isDue = performance.now() >= due;
        if (wanted.length === 0 && !isDue) continue;
        yield* merged(wanted, isDue);
        due = performance.now() + everyMs;
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  receive(wakeUp: WakeUp): void {
    this.#received.push(wakeUp);
    this.#signal();
  }

  report(lines: WorkerLines): Promise<void> {
    const database = this.#database;
    return this.#process.run((tx) => reportLines({ database, tx }, this.workerId, lines));
  }

  async release(): Promise<void> {
    this.#released = true;
    this.#signal();
    this.#disconnect();
    const database = this.#database;
    await this.#process.run((tx) => stopWorker({ database, tx }, this.workerId)).catch(() => {});
  }

  /** Acts as a server that ends the session. The session comes back as long as its process lives. */
  lose(): void {
    this.#disconnect();
    this.#session?.lost();
    void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    await turn();
    if (this.#released || this.#process.hasEnded) return;
    this.#connect();
    this.#session?.back();
    // Wake-ups sent in between are lost, so the worker has to look.
    this.receive({});
  }

  #connect(): void {
    this.#process.add(this);
    this.#database.openSession(this.workerId, this);
    const tx = this.#process.begin();
    keepWorker({ database: this.#database, tx }, this.#worker);
    tx.commitNow();
  }

  #disconnect(): void {
    this.#process.remove(this);
    this.#database.closeSession(this.workerId);
  }

  /** Waits for a wake-up, the signal, or the end of `ms` milliseconds. */
  #wait(ms: number): Promise<void> {
    if (this.#received.length > 0 || this.#released) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(Math.max(0, ms), LONGEST_TIMER_MS));
      this.#signal = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
