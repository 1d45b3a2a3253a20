import { DriverError } from '@rowlock/core';
import type { Pulse, WakeUp, WorkerLines } from '@rowlock/core/driver';
import type { Database } from '../engine/database.js';
import type { Process } from '../engine/process.js';
import type { WorkerRow } from '../engine/rows.js';
import { beat, keepWorker, reportLines, stopWorker } from './statements/workers.js';

/** A worker without a session, as behind a pooler that lets clients share the server's sessions. */
export class MemoryPulse implements Pulse {
  readonly #worker: WorkerRow;
  readonly #database: Database;
  readonly #process: Process;
  /** The number of wake-ups at the last poll. */
  #seen: number | null = null;
  #isLost = false;

  constructor(database: Database, process: Process, worker: WorkerRow) {
    this.#worker = worker;
    this.#database = database;
    this.#process = process;
  }

  get workerId(): string {
    return this.#worker.id;
  }

  async beat(forMs: number): Promise<void> {
    this.#connect();
    const database = this.#database;
    const isWritten = await this.#process.run((tx) => {
      keepWorker({ database, tx }, this.#worker);
      return beat({ database, tx }, this.workerId, forMs);
    });
    if (!isWritten) throw new DriverError('Unknown', 'The worker has stopped.');
  }

  async receive(): Promise<readonly WakeUp[]> {
    this.#connect();
    return this.#process.run(() => {
      const { rings, rung } = this.#database;
      const found = this.#seen === null || rung === this.#seen ? [] : rings.slice(this.#seen - rung);
      this.#seen = rung;
      return found;
    });
  }

  report(lines: WorkerLines): Promise<void> {
    const database = this.#database;
    return this.#process.run((tx) => reportLines({ database, tx }, this.workerId, lines));
  }

  drop(): void {
    this.#isLost = false;
  }

  /** Acts as a server that ends the connection. */
  lose(): void {
    this.#process.remove(this);
    this.#isLost = true;
  }

  async stop(): Promise<void> {
    this.#process.remove(this);
    const database = this.#database;
    await this.#process.run((tx) => stopWorker({ database, tx }, this.workerId)).catch(() => {});
  }

  #connect(): void {
    if (this.#isLost) throw new DriverError('ConnectionLost', 'The server has ended the connection.');
    this.#process.check();
    this.#process.add(this);
  }
}
