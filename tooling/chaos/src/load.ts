import { setTimeout as sleep } from 'node:timers/promises';
import { createRowlock, type Rowlock } from '@rowlock/core';
import type { HistoryFile } from './history/history-file.js';
import type { Mode } from './mode.js';
import type { Random } from './random.js';
import type { Plain, System } from './system.js';
import { codeOf, handlers, type Kind, POISON_ATTEMPTS, type Work } from './work.js';

export interface LoadOptions {
  readonly mode: Mode;
  readonly url: string;
  /** Jobs a second. */
  readonly rate: number;
  /** How long handlers take, from and to, in milliseconds. */
  readonly workMs: readonly [number, number];
}

/** Entities that exist for each mode: their rows are what runs meet each other at. */
export const ENTITIES = 400;

/** Entities that are worked on at one time. */
const LIVE = 15;

/** Enqueues that are on their way at one time; more would only pile up while the server is away. */
const MOST_PENDING = 8;

/** Due jobs that wait or are worked on, at most: with more, the time to a job's next run would be that of a queue. */
const MOST_DUE = 8;

/** How often the producer looks how many there are, in milliseconds. */
const LOOK_MS = 100;

/** How long a producer waits for the database before it takes the enqueue for failed, in milliseconds. */
const PATIENCE_MS = 5_000;

/** A producer: creations and the updates that follow them, plain and keyless jobs, delayed and failing ones, of all priorities. */
export class Load<Tx> {
  readonly #system: System<Tx>;
  readonly #history: HistoryFile;
  readonly #random: Random;
  readonly #options: LoadOptions;
  readonly #client: Rowlock<Tx>;
  readonly #pending = new Set<Promise<void>>();
  readonly #plain: Plain<Tx>[] = [];
  #jobs = 0;
  #newest = 0;
  #running: Promise<unknown> | null = null;
  #due = 0;
  #stopped = false;

  constructor(system: System<Tx>, history: HistoryFile, random: Random, options: LoadOptions) {
    this.#system = system;
    this.#history = history;
    this.#random = random;
    this.#options = options;
    this.#client = createRowlock<Tx>({
      driver: system.driver(options.url, 2 * MOST_PENDING),
      handlers: handlers(options.mode, system),
      log: { debug() {}, info() {}, warn() {}, error() {} },
    });
  }

  /** How many it has meant to enqueue so far. */
  get jobs(): number {
    return this.#jobs;
  }

  start(): void {
    this.#running ??= Promise.all([this.#run(), this.#look()]);
  }

  /** One job that kills whoever runs it. */
  async poison(): Promise<void> {
    await this.#put('poison', this.#entity(), { poison: true }, {});
  }

  /** Ends the enqueueing; what is on its way is waited for. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    await Promise.all(this.#pending);
  }

  async close(): Promise<void> {
    await Promise.all(this.#plain.map((plain) => plain.end()));
    await Promise.race([this.#client.close().catch(() => {}), sleep(PATIENCE_MS, undefined, { ref: false })]);
  }

  async #run(): Promise<void> {
    let due = performance.now();
    while (!this.#stopped) {
      due = Math.max(due + 1_000 / this.#options.rate, performance.now() - 1_000);
      await sleep(Math.max(0, due - performance.now()));
      if (this.#stopped || this.#pending.size >= MOST_PENDING || this.#due >= MOST_DUE) continue;
      this.#due += 1;
      const one: Promise<void> = this.#one().finally(() => this.#pending.delete(one));
      this.#pending.add(one);
    }
  }

  async #look(): Promise<void> {
    let plain: Plain<Tx> | null = null;
    while (!this.#stopped) {
      await sleep(LOOK_MS);
      try {
        plain ??= await this.#system.connect(this.#options.url);
        const [row] = await within(PATIENCE_MS, plain.ask(this.#system.backlog, [this.#options.mode]));
        this.#due = Number(row?.jobs);
      } catch {
        await plain?.end();
        plain = null;
      }
    }
    await plain?.end();
  }

  #one(): Promise<void> {
    const random = this.#random;
    const die = random.next();
    const failures = random.chance(0.1) ? 1 : 0;
    const priority = random.whole(-3, 3);
    if (die < 0.1) {
      this.#newest += 1;
      return this.#put('create', this.#entity(0), { failures }, {});
    }
    if (die < 0.5) return this.#put('update', this.#entity(), { failures }, {});
    if (die < 0.7) return this.#put('plain', this.#entity(), { failures }, { priority });
    if (die < 0.8) return this.#put('plain', this.#entity(), {}, { delay: random.whole(50, 1_000) });
    return this.#put('loose', null, { failures }, { priority });
  }

  #entity(age = this.#random.whole(0, LIVE - 1)): string {
    const number = (this.#newest - age + ENTITIES) % ENTITIES;
    return entityName(this.#options.mode, number);
  }

  async #put(
    kind: Kind,
    key: string | null,
    more: Partial<Work>,
    options: { readonly priority?: number; readonly delay?: number },
  ): Promise<void> {
    const { mode, workMs } = this.#options;
    const tag = `${mode}-${++this.#jobs}`;
    const payload: Work = { tag, ms: this.#random.whole(...workMs), ...more };
    const poison = more.poison ? { poison: POISON_ATTEMPTS } : {};
    const job = { ...options, key, payload };
    const name = `${mode}.${kind}`;
    this.#history.write({ what: 'intended', job: tag, mode, kind: name, key, ...poison });
    try {
      await within(
        PATIENCE_MS,
        kind === 'create' || kind === 'update' ? this.#inTransaction(name, job) : this.#byItself(name, job),
      );
      this.#history.write({ what: 'committed', job: tag });
    } catch (error) {
      this.#history.write({ what: 'doubted', job: tag, error: codeOf(error) });
    }
  }

  async #byItself(kind: string, job: { readonly payload: Work; readonly key: string | null }): Promise<void> {
    this.#history.write({ what: 'committing', job: job.payload.tag });
    await this.#client.enqueue(kind, job);
  }

  async #inTransaction(
    kind: string,
    job: { readonly payload: Work; readonly key: string | null },
  ): Promise<void> {
    const plain = this.#plain.pop() ?? (await this.#system.connect(this.#options.url));
    try {
      await plain.ask('BEGIN');
      await this.#client.enqueue(kind, job, { tx: plain.tx });
      this.#history.write({ what: 'committing', job: job.payload.tag });
      await plain.ask('COMMIT');
      this.#plain.push(plain);
    } catch (error) {
      await plain.end();
      throw error;
    }
  }
}

export function entityName(mode: Mode, number: number): string {
  return `${mode}-entity-${number}`;
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const over = new AbortController();
  const net = sleep(ms, undefined, { signal: over.signal }).then(() => {
    throw new Error(`No answer within ${ms} ms.`);
  });
  net.catch(() => {});
  promise.catch(() => {});
  try {
    return await Promise.race([promise, net]);
  } finally {
    over.abort();
  }
}
