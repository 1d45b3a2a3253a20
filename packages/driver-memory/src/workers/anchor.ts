import {
  type Anchor,
  EndableWait,
  type SessionListener,
  type WakeUp,
  type WakeUpOptions,
  type WorkerLines,
  wakeUpsOf,
} from '@rowlock/core/driver';
import type { Database } from '../engine/database.js';
import type { Process } from '../engine/process.js';
import type { WorkerRow } from '../engine/rows.js';
import { turn } from '../engine/turn.js';
import { keepWorker, reportLines, stopWorker } from './statements/workers.js';

/** A worker's session, which proves the worker alive and receives wake-ups. */
export class MemoryAnchor implements Anchor {
  readonly proof = 'session';
  readonly pushed = true;
  readonly #worker: WorkerRow;
  readonly #database: Database;
  readonly #process: Process;
  readonly #session: SessionListener | undefined;
  readonly #received: WakeUp[] = [];
  readonly #wait = new EndableWait();
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

  wakeUps(options: WakeUpOptions): AsyncGenerator<WakeUp> {
    const receive = async (leftMs: number): Promise<readonly WakeUp[]> => {
      if (this.#received.length === 0) await this.#wait.pause(leftMs);
      return this.#received.splice(0);
    };
    const { workerId } = this;
    return wakeUpsOf({ workerId, wait: this.#wait, isReleased: () => this.#released, receive }, options);
  }

  receive(wakeUp: WakeUp): void {
    this.#received.push(wakeUp);
    this.#wait.end();
  }

  report(lines: WorkerLines): Promise<void> {
    const database = this.#database;
    return this.#process.run((tx) => reportLines({ database, tx }, this.workerId, lines));
  }

  async release(): Promise<void> {
    this.#released = true;
    this.#wait.end();
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
}
