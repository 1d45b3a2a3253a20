import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Break } from './broken-driver.js';
import type { HistoryFile } from './history/history-file.js';
import type { Mode } from './mode.js';
import type { DatabaseName, Server } from './system.js';
import { startProxy, type TcpProxy } from './tcp-proxy.js';
import type { WorkerCommand, WorkerOrders } from './worker-orders.js';

/** The built program, also where this file is read from its source. */
const PROGRAM = fileURLToPath(new URL('../dist/worker-process.js', import.meta.url));

/** How many places of each mode have workers of the frozen version, where there is one. */
const FROZEN_PLACES = 1;

/** How long a place is empty before another worker is hired for it, in milliseconds. */
const REHIRE_MS = 300;

/** How long a worker that is to stop may take before it is killed, in milliseconds. */
const STOP_MS = 25_000;

/** A place in the crew, and the worker's process that fills it now. */
export interface Hand {
  readonly place: string;
  readonly mode: Mode;
  /** The worker's name: another one for each process. */
  readonly name: string;
  readonly process: ChildProcess;
  readonly proxy: TcpProxy | null;
  readonly started: Promise<void>;
  /** Whether it has begun to work. */
  readonly isWorking: () => boolean;
}

export interface CrewOptions {
  readonly database: DatabaseName;
  readonly url: string;
  readonly server: () => Pick<Server, 'host' | 'port'>;
  readonly folder: string;
  readonly modes: readonly Mode[];
  /** Workers of each mode. */
  readonly workers: number;
  /** Slots of each worker. */
  readonly concurrency: Readonly<Record<Mode, number>>;
  /** Whether each has a proxy before the server. */
  readonly proxied: boolean;
  /** By how much the clock of each worker is wrong, in milliseconds, in turn. */
  readonly clocksMs: readonly number[];
  readonly broken: Break | null;
  /** The version that the database begins with. */
  readonly frozen: Frozen | null;
}

/** A version that has workers beside this one. */
interface Frozen {
  readonly program: string;
  /** What comes between the start of its workers and that of this version's. */
  upgrade(): Promise<void>;
}

/** The workers of all modes, in processes of their own. A place that falls empty is filled again. */
export class Crew {
  readonly #history: HistoryFile;
  readonly #options: CrewOptions;
  readonly #hands = new Map<string, Hand>();
  readonly #rehires = new Set<NodeJS.Timeout>();
  readonly #proxies = new Map<string, TcpProxy>();
  #hired = 0;
  #impairments = 0;
  #stopping = false;

  private constructor(history: HistoryFile, options: CrewOptions) {
    this.#history = history;
    this.#options = options;
  }

  static async hire(history: HistoryFile, options: CrewOptions): Promise<Crew> {
    const crew = new Crew(history, options);
    const { frozen, workers } = options;
    if (frozen !== null) {
      await crew.#fillAll(1, FROZEN_PLACES, frozen.program);
      await frozen.upgrade();
    }
    await crew.#fillAll(frozen === null ? 1 : FROZEN_PLACES + 1, workers, PROGRAM);
    return crew;
  }

  async #fillAll(first: number, last: number, program: string): Promise<void> {
    const { modes, proxied, server } = this.#options;
    for (const mode of modes) {
      for (let place = first; place <= last; place++) {
        const name = `${mode}-${place}`;
        if (proxied) this.#proxies.set(name, await startProxy(server));
        this.#fill(name, mode, program);
      }
    }
    await Promise.all(this.hands.map(({ started }) => started));
  }

  get hands(): readonly Hand[] {
    return [...this.#hands.values()];
  }

  of(mode: Mode): readonly Hand[] {
    return this.hands.filter((hand) => hand.mode === mode);
  }

  kill({ name, process }: Hand): void {
    this.#history.write({ what: 'killing', worker: name });
    process.kill('SIGKILL');
  }

  /** Notes that a worker, or with `*` all of them, cannot know what becomes of its claims, until the returned function is called. */
  impair(worker: string, why: string): () => void {
    const id = ++this.#impairments;
    this.#history.write({ what: 'impaired', id, worker, why });
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#history.write({ what: 'relieved', id });
    };
  }

  /** Resolves when its event loop goes on, or its process has ended. */
  block({ process }: Hand, blockMs: number): Promise<void> {
    const command: WorkerCommand = { blockMs };
    if (process.connected) process.send(command, () => {});
    return new Promise((resolve) => {
      process.once('exit', () => resolve());
      process.on('message', (message) => {
        if (message === 'goes on') resolve();
      });
    });
  }

  async stop(): Promise<void> {
    if (!this.#stopping) this.#history.write({ what: 'stopping' });
    this.#stopping = true;
    for (const timer of this.#rehires) clearTimeout(timer);
    await Promise.all(this.hands.map(end));
    await Promise.all([...this.#proxies.values()].map((proxy) => proxy.close()));
  }

  #fill(place: string, mode: Mode, program: string): void {
    const { database, url, folder, concurrency, clocksMs, broken, frozen } = this.#options;
    const name = `${place}.${++this.#hired}`;
    const proxy = this.#proxies.get(place) ?? null;
    const orders: WorkerOrders = {
      ...{ name, database, mode, folder, broken, subjects: frozen !== null },
      concurrency: concurrency[mode],
      url: proxy === null ? url : through(proxy, url),
      clockMs: clocksMs[this.#hired % clocksMs.length] ?? 0,
    };
    const process = fork(program, [JSON.stringify(orders)], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const isFrozen = program !== PROGRAM;
    this.#history.write({ what: 'hired', worker: name, mode, pid: process.pid ?? 0, isFrozen });
    let working = false;
    const started = new Promise<void>((resolve) => {
      process.once('message', () => {
        working = true;
        resolve();
      });
      process.once('exit', () => resolve());
    });
    process.once('exit', () => {
      this.#history.write({ what: 'dead', worker: name });
      this.#hands.delete(place);
      if (this.#stopping) return;
      const timer = setTimeout(() => {
        this.#rehires.delete(timer);
        this.#fill(place, mode, program);
      }, REHIRE_MS);
      this.#rehires.add(timer);
    });
    this.#hands.set(place, { place, mode, name, process, proxy, started, isWorking: () => working });
  }
}

async function end({ process }: Hand): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const exited = new Promise((resolve) => process.once('exit', resolve));
  const net = setTimeout(() => process.kill('SIGKILL'), STOP_MS);
  if (process.connected) process.disconnect();
  await exited;
  clearTimeout(net);
}

/** The same database by another way. */
export function through({ host, port }: Pick<TcpProxy, 'host' | 'port'>, url: string): string {
  const other = new URL(url);
  other.hostname = host;
  other.port = String(port);
  return other.href;
}
