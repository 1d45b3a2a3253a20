import { setTimeout as sleep } from 'node:timers/promises';
import { createRowlock, type Rowlock } from '@rowlock/core';
import { type DrawnJob, DrawnJobs } from './drawn-jobs.js';
import type { HistoryFile } from './history/history-file.js';
import type { Mode } from './mode.js';
import type { Random } from './random.js';
import type { Plain, System } from './system.js';
import { within } from './within.js';
import { codeOf, enqueueable, type Kind, POISON_ATTEMPTS } from './work.js';

export interface LoadOptions {
  readonly mode: Mode;
  readonly url: string;
  /** Jobs a second. */
  readonly rate: number;
  /** How long handlers take, from and to, in milliseconds. */
  readonly workMs: readonly [number, number];
  /** Before the tags of its jobs. Default: nothing. */
  readonly prefix?: string;
}

/** Enqueues that are on their way at one time; more would only pile up while the server is away. */
const MOST_PENDING = 8;

/**
 * Due jobs that wait or are worked on, at most: with more, the time to a job's next run would be that of a queue. Batches need one
 * to be made of.
 */
const MOST_DUE: Readonly<Record<Mode, number>> = { hold: 8, lease: 8, batch: 64 };

/** The same of those with limits: they wait for slots besides. */
const MOST_LIMITED = 16;

/** How often the producer looks how many there are, in milliseconds. */
const LOOK_MS = 100;

/** How long a producer waits for the database before it takes the enqueue for failed, in milliseconds. */
const PATIENCE_MS = 5_000;

/** A producer: it enqueues what is drawn. */
export class Load<Tx> {
  readonly #system: System<Tx>;
  readonly #history: HistoryFile;
  readonly #drawn: DrawnJobs;
  readonly #options: LoadOptions;
  readonly #client: Rowlock<Tx>;
  readonly #pending = new Set<Promise<void>>();
  readonly #plain: Plain<Tx>[] = [];
  #running: Promise<unknown> | null = null;
  #due = 0;
  #limited = 0;
  #stopped = false;

  constructor(system: System<Tx>, history: HistoryFile, random: Random, options: LoadOptions) {
    this.#system = system;
    this.#history = history;
    this.#drawn = new DrawnJobs(options.mode, random, options.workMs, options.prefix);
    this.#options = options;
    this.#client = createRowlock<Tx>({
      driver: system.driver(options.url, 2 * MOST_PENDING),
      log: { debug() {}, info() {}, warn() {}, error() {} },
    });
  }

  /** How many it has meant to enqueue so far. */
  get jobs(): number {
    return this.#drawn.count;
  }

  start(): void {
    this.#running ??= Promise.all([this.#run(), this.#look()]);
  }

  /** Jobs of which one at least kills whoever runs it. */
  async poison(): Promise<void> {
    await this.#put(this.#drawn.poison());
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
    const { mode, rate } = this.#options;
    let due = performance.now();
    let last = 1;
    while (!this.#stopped) {
      due = Math.max(due + (last * 1_000) / rate, performance.now() - 1_000);
      last = 1;
      await sleep(Math.max(0, due - performance.now()));
      if (this.#stopped || this.#pending.size >= MOST_PENDING || this.#due >= MOST_DUE[mode]) continue;
      const jobs = this.#drawn.next(this.#limited < MOST_LIMITED);
      last = jobs.length;
      const limited = jobs.filter(({ payload }) => payload.limits !== undefined).length;
      this.#limited += limited;
      this.#due += jobs.length - limited;
      this.#wait(this.#put(jobs));
    }
  }

  #wait(work: Promise<void>): void {
    const one: Promise<void> = work.finally(() => this.#pending.delete(one));
    this.#pending.add(one);
  }

  async #look(): Promise<void> {
    const { mode } = this.#options;
    let plain: Plain<Tx> | null = null;
    while (!this.#stopped) {
      await sleep(LOOK_MS);
      try {
        plain ??= await this.#system.connect(this.#options.url);
        const [row] = await within(PATIENCE_MS, plain.ask(this.#system.backlog, [mode, mode]));
        this.#due = Number(row?.free);
        this.#limited = Number(row?.limited);
      } catch {
        await plain?.end();
        plain = null;
      }
    }
    await plain?.end();
  }

  async #put(jobs: readonly DrawnJob[]): Promise<void> {
    for (const { kind, key, payload } of jobs) {
      const { mode } = this.#options;
      const ends = {
        ...(payload.poison ? { poison: POISON_ATTEMPTS } : {}),
        ...(payload.trouble === 'fails' ? { fails: true } : {}),
      };
      const job = payload.tag;
      this.#history.write({ what: 'intended', job, mode, kind: `${mode}.${kind}`, key, ...ends });
    }
    try {
      const [first, ...others] = jobs;
      const isAlone = first !== undefined && others.length === 0 && !DEPENDENT.has(first.kind);
      await within(PATIENCE_MS, isAlone ? this.#byItself(first) : this.#inTransaction(jobs));
      this.#note('committed', jobs);
    } catch (error) {
      for (const { payload } of jobs)
        this.#history.write({ what: 'doubted', job: payload.tag, error: codeOf(error) });
    }
  }

  #note(what: 'committing' | 'committed', jobs: readonly DrawnJob[]): void {
    for (const { payload } of jobs) this.#history.write({ what, job: payload.tag });
  }

  async #byItself(job: DrawnJob): Promise<void> {
    this.#note('committing', [job]);
    const { publicId } = await this.#client.enqueue(enqueueable(this.#options.mode, job.kind), wanted(job));
    this.#cancelLater(job, publicId);
  }

  async #inTransaction(jobs: readonly DrawnJob[]): Promise<void> {
    const plain = this.#plain.pop() ?? (await this.#system.connect(this.#options.url));
    try {
      await plain.ask('BEGIN');
      const publicIds: string[] = [];
      for (const job of jobs) {
        const enqueued = await this.#client.enqueue(enqueueable(this.#options.mode, job.kind), wanted(job), {
          tx: plain.tx,
        });
        publicIds.push(enqueued.publicId);
      }
      this.#note('committing', jobs);
      await plain.ask('COMMIT');
      this.#plain.push(plain);
      for (const [place, job] of jobs.entries()) this.#cancelLater(job, publicIds[place] ?? '');
    } catch (error) {
      await plain.end();
      throw error;
    }
  }

  /** Whatever comes of it: it may be settled by then. */
  #cancelLater({ cancelledAfterMs }: DrawnJob, publicId: string): void {
    if (cancelledAfterMs === undefined) return;
    const cancel = sleep(cancelledAfterMs).then(() => within(PATIENCE_MS, this.#client.cancel(publicId)));
    this.#wait(cancel.then(() => {}).catch(() => {}));
  }
}

/** These go into a transaction of the producer's. */
const DEPENDENT: ReadonlySet<Kind> = new Set(['create', 'update']);

/** The part of a drawn job that an enqueue takes. */
function wanted({ kind, cancelledAfterMs, ...options }: DrawnJob) {
  return options;
}
