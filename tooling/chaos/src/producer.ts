import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { HistoryFile } from './history/history-file.js';
import type { ProducerOrders } from './producer-orders.js';

/** How long a producer that is to stop may take before it is killed, in milliseconds. */
const STOP_MS = 25_000;

/** By which the history names it. */
export const PRODUCER = 'producer';

/** A producer in a process of its own: the one that made the tables. */
export class Producer {
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;
  #isStopping = false;

  private constructor(process: ChildProcess, history: HistoryFile) {
    this.#process = process;
    this.#exited = once(process, 'exit').then(() => {
      if (!this.#isStopping) history.write({ what: 'dead', worker: PRODUCER });
    });
  }

  /** Resolves when the database is migrated, and its captures and schedules are there. @throws Error */
  static async start(program: string, history: HistoryFile, orders: ProducerOrders): Promise<Producer> {
    const process = fork(program, [JSON.stringify(orders)], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const producer = new Producer(process, history);
    const isThere = await Promise.race([
      once(process, 'message').then(() => true),
      producer.#exited.then(() => false),
    ]);
    if (!isThere) throw new Error(`${program} ended before it had migrated the database.`);
    return producer;
  }

  begin(): void {
    this.#process.send('begin');
  }

  /** Ends the enqueueing; what is on its way is waited for. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const net = setTimeout(() => this.#process.kill('SIGKILL'), STOP_MS);
    if (this.#process.connected) this.#process.disconnect();
    await this.#exited;
    clearTimeout(net);
  }
}
