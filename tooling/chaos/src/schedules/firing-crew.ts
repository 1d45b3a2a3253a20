import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Random } from '../random.js';
import type { FiringOrders } from './firing-orders.js';
import type { SimulatedTime } from './simulated-time.js';

/** The built program, also where this file is read from its source. */
const PROGRAM = fileURLToPath(new URL('../../dist/schedules/firing-process.js', import.meta.url));

/** How long a place is empty before another process is started for it, in milliseconds. */
const EMPTY_MS = [50, 600] as const;

/** How long a process that is to stop may take before it is killed, in milliseconds. */
const STOP_MS = 20_000;

type Orders = Omit<FiringOrders, 'name' | 'version' | 'time'>;

/** Processes that fire. One that ends is replaced by another. */
export class FiringCrew {
  readonly #orders: Orders;
  readonly #strikes: Random;
  readonly #starts: Random;
  readonly #places: (ChildProcess | null)[];
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Those that fire, and are not struck yet. */
  readonly #firing = new Set<ChildProcess>();
  readonly #struck = new WeakSet<ChildProcess>();
  #time: SimulatedTime | null = null;
  #started = 0;
  #isStopping = false;
  /** How processes ended that nobody had killed or stopped. */
  readonly deaths: string[] = [];

  private constructor(size: number, orders: Orders, seed: number) {
    this.#orders = orders;
    this.#strikes = new Random(seed, 'strikes');
    this.#starts = new Random(seed, 'starts');
    this.#places = Array.from({ length: size }, () => null);
  }

  /** Resolves when all places wait for the time to begin. */
  static async start(size: number, orders: Orders, seed: number): Promise<FiringCrew> {
    const crew = new FiringCrew(size, orders, seed);
    for (const place of crew.#places.keys()) crew.#fill(place);
    while (crew.#firing.size < crew.#places.length) await sleep(50);
    return crew;
  }

  /** Begins the time in which they fire. */
  begin(time: SimulatedTime): void {
    this.#time = time;
    for (const process of this.#places) process?.send(time);
  }

  /** Kills some of those that fire, mostly one, now and then all. Or has one stop. @returns how many were killed */
  strike(): number {
    const random = this.#strikes;
    const places = random.shuffled([...this.#places.keys()]);
    const count = random.chance(0.1) ? places.length : random.whole(1, 2);
    const isGraceful = random.chance(0.2);
    const chosen = places
      .flatMap((place) => this.#places[place] ?? [])
      .filter((process) => this.#firing.has(process))
      .slice(0, isGraceful ? 1 : count);
    for (const process of chosen) {
      this.#firing.delete(process);
      this.#struck.add(process);
      if (!isGraceful) process.kill('SIGKILL');
      else if (process.connected) process.disconnect();
    }
    return isGraceful ? 0 : chosen.length;
  }

  /** How many processes have been started so far. */
  get started(): number {
    return this.#started;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all(this.#places.map((process) => process && end(process)));
  }

  #fill(place: number): void {
    const started = ++this.#started;
    const orders: FiringOrders = {
      ...this.#orders,
      name: `process ${started}`,
      time: this.#time,
      version: this.#starts.whole(1, 2),
    };
    const process = fork(PROGRAM, [JSON.stringify(orders)], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#places[place] = process;
    process.once('message', () => this.#firing.add(process));
    process.once('exit', (code, signal) => {
      this.#places[place] = null;
      this.#firing.delete(process);
      if (this.#isStopping) return;
      if (!this.#struck.has(process))
        this.deaths.push(`process ${started} ended by itself: ${signal ?? code}`);
      const timer = setTimeout(
        () => {
          this.#timers.delete(timer);
          this.#fill(place);
        },
        this.#starts.whole(...EMPTY_MS),
      );
      this.#timers.add(timer);
    });
  }
}

async function end(process: ChildProcess): Promise<void> {
  const exited = once(process, 'exit');
  const net = setTimeout(() => process.kill('SIGKILL'), STOP_MS);
  if (process.connected) process.disconnect();
  await exited;
  clearTimeout(net);
}
