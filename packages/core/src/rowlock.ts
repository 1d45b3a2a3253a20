import type { DependencyContainer } from 'tsyringe';
import type { Capture } from './capture/capture.js';
import { isChangeSchema } from './capture/change.js';
import { DeclaredCaptures } from './capture/declared.js';
import { Captures } from './client/captures.js';
import { Client } from './client/client.js';
import { LocalWorkers } from './client/local-workers.js';
import { type Clock, systemClock } from './clock.js';
import type { Driver, MigrationReport } from './driver/driver.js';
import { InvalidInputError } from './errors.js';
import type { AnyHandler } from './handler/handler.js';
import { checkSizes } from './handler/job-limits.js';
import { Registry } from './handler/registry.js';
import { consoleLogger, type Logger, unfailing } from './logger.js';
import { aroundEnqueue } from './plugin/around-enqueue.js';
import { declaredSizes } from './plugin/declared-limits.js';
import { definePlugin, type Plugin } from './plugin/plugin.js';
import { counting, prune } from './retention/prune.js';
import { type Retention, RetentionLimits } from './retention/retention.js';
import { DeclaredSchedules } from './schedule/declared.js';
import type { Schedule } from './schedule/schedule.js';
import { Worker, type WorkerOptions } from './worker/worker.js';
import { workerParts } from './worker-parts.js';

export interface RowlockOptions<Tx> {
  /** The database, as a driver's package opens it. */
  readonly driver: Driver<Tx>;
  /** The plugins, in this order: the middleware of the first one is the outermost, and it starts first. */
  readonly plugins?: readonly Plugin<Tx>[];
  /** Handlers that need no plugin. Without any handler, a program only enqueues. */
  readonly handlers?: readonly AnyHandler<Tx>[];
  /**
   * Where entries of the log go. Default: warnings and errors to standard error. A job that ends as `error` is an error, and
   * a retry is a warning.
   */
  readonly log?: Logger;
  /** The time by which a worker waits, for tests. Default: the process's own clock. */
  readonly clock?: Clock;
  /** The tsyringe container from which each run's own container descends. Default: tsyringe's root. */
  readonly container?: DependencyContainer;
  /**
   * How long settled jobs are kept, in all queues of the database. Workers delete older ones in the background.
   * Default: for ever.
   */
  readonly retention?: Retention;
  /**
   * Jobs that are enqueued at times of their own, by name. A worker that starts writes those that differ from what the
   * database has. Default: none.
   */
  readonly schedules?: Readonly<Record<string, Schedule>>;
  /** Changes of tables that become jobs. `captures.apply()` makes their triggers. Default: none. */
  readonly captures?: readonly Capture[];
}

export interface PruneOptions {
  /** Only counts the jobs, and deletes none. Default false. */
  readonly dryRun?: boolean;
  /** Ends the pruning after the step that is on its way. Earlier deletions stay. */
  readonly signal?: AbortSignal;
  /** Called after each step with the number of jobs that it has deleted. */
  readonly onStep?: (pruned: number) => void;
}

/** Jobs on one database: enqueue, inspect, and work. */
export class Rowlock<Tx> extends Client<Tx> {
  readonly #driver: Driver<Tx>;
  readonly #work: (options: WorkerOptions) => Worker<Tx>;
  readonly #retention: RetentionLimits;
  readonly #here: LocalWorkers;
  readonly #log: Logger;
  /** The captures of this program, in the database. */
  readonly captures: Captures;

  /** @throws DuplicateKindError when two handlers have one kind, InvalidInputError. */
  constructor({
    driver,
    plugins: given = [],
    handlers = [],
    log: logger = consoleLogger,
    clock = systemClock,
    container,
    retention = {},
    schedules = {},
    captures = [],
  }: RowlockOptions<Tx>) {
    if (typeof Object(driver).claimSession !== 'function')
      throw new InvalidInputError(
        "createRowlock needs a driver: { driver: postgres({ connectionString }) } of '@rowlock/driver-postgres', for one.",
      );
    const plugins = given.map((plugin) => definePlugin(plugin));
    const registry = new Registry([...plugins.flatMap((plugin) => plugin.handlers), ...handlers]);
    const sizes = declaredSizes(plugins);
    for (const handler of registry.handlers) checkSizes(handler, sizes);
    const log = unfailing(logger);
    const here = new LocalWorkers();
    super(driver, here, log, clock, aroundEnqueue(plugins, log), sizes);
    this.#driver = driver;
    this.#here = here;
    this.#log = log;
    this.#retention = new RetentionLimits(retention);
    const unserved = this.#retention.queues.filter((queue) => !registry.queues.includes(queue));
    // The jobs of a misspelt queue would be deleted by the general rules.
    if (unserved.length > 0 && registry.queues.length > 0)
      log.warn({ queues: unserved }, 'retention has rules for queues that no handler here is of');
    const captured = new DeclaredCaptures([
      ...plugins.flatMap((plugin) => plugin.captures ?? []),
      ...captures,
    ]);
    this.captures = new Captures(() => {
      this.checkOpen();
      return driver;
    }, captured);
    const declared = new DeclaredSchedules(
      [...plugins.map((plugin) => plugin.schedules ?? {}), schedules],
      sizes,
    );
    const parts = {
      driver,
      registry,
      plugins,
      client: this,
      log,
      clock,
      container,
      schedules: declared,
      makeParts: workerParts({ retention: this.#retention, schedules: declared }),
      captured: new Set([...captured.kinds, ...kindsOfChanges(registry)]),
    };
    this.#work = (options) => here.add(new Worker(parts, options));
  }

  /**
   * A worker for all handlers, or for those of some `queues`. Call `start()` to begin. There may be any number of
   * workers, in any number of processes.
   *
   * @throws InvalidInputError, ClosedError
   */
  worker(options: WorkerOptions = {}): Worker<Tx> {
    this.checkOpen();
    return this.#work(options);
  }

  /**
   * Deletes settled jobs that the rules do not keep, and the records of their runs. Deletes now, in steps of up to
   * 1,000 jobs. Each step is a transaction.
   *
   * @param rules Default: the `retention` of this Rowlock.
   * @returns How many jobs were deleted, or would be.
   * @throws InvalidInputError when there is no rule; the `signal`'s reason.
   */
  async prune(rules?: Retention, { dryRun = false, signal, onStep }: PruneOptions = {}): Promise<number> {
    this.checkOpen();
    const limits = rules === undefined ? this.#retention : new RetentionLimits(rules);
    if (!limits.any)
      throw new InvalidInputError("There is no rule to prune by: say what to keep, e.g. { complete: '7d' }.");
    signal?.throwIfAborted();
    let pruned = 0;
    for await (const step of prune(dryRun ? counting(this.#driver) : this.#driver, limits)) {
      pruned += step.pruned;
      onStep?.(step.pruned);
      signal?.throwIfAborted();
    }
    return pruned;
  }

  /** Brings the database's schema up to date. Safe to call twice, and from many processes at once. */
  async migrate(): Promise<MigrationReport> {
    this.checkOpen();
    return this.#driver.migrate();
  }

  /**
   * Resolves if the database has all that this version needs. A database that a later version has migrated has it too.
   * Logs a warning for a state of the server that will do harm if it lasts.
   *
   * @throws DriverError `SchemaOutdated` when tables are missing, or older; `Unknown` when a setting of the server is
   * unsuitable.
   */
  async verify(): Promise<void> {
    this.checkOpen();
    const { warnings = [] } = await this.#driver.verify();
    for (const warning of warnings) this.#log.warn({}, warning);
  }

  /**
   * Stops the running workers, as their `stop()` does, gives back the slots that were taken without a job, sends the
   * wake-ups that are still gathered, and closes the driver. To give handlers another time to end, stop the workers first. Later calls reject with `ClosedError`.
   */
  async close(): Promise<void> {
    try {
      await this.#here.stop();
      await this.releaseSlots();
      await this.flush();
    } finally {
      this.refuseCalls();
      await this.#driver.close();
    }
  }
}

/** The kinds whose handlers were made for captures, which another program may have defined. */
function kindsOfChanges<Tx>(registry: Registry<Tx>): readonly string[] {
  return registry.kinds.filter((kind) => isChangeSchema(registry.find(kind)?.payload));
}

/**
 * Puts a driver and handlers together. Nothing is connected yet.
 *
 * @example
 * const rowlock = createRowlock({ driver: postgres({ connectionString }), handlers: [Greet] });
 */
export function createRowlock<Tx>(options: RowlockOptions<Tx>): Rowlock<Tx> {
  return new Rowlock(options);
}
