import { declaredLimits } from './admission/declared-limits.js';
import { checkDeclared } from './admission/limit.js';
import type { Capture } from './captures/capture.js';
import { Captures } from './captures/captures.js';
import { isChangeSchema } from './captures/change.js';
import { DeclaredCaptures } from './captures/declared.js';
import { Calls } from './client/calls.js';
import { count } from './client/listing.js';
import { LocalWorkers } from './client/local-workers.js';
import { type Clock, systemClock } from './clock.js';
import type { Driver } from './driver/driver.js';
import type { MigrationReport } from './driver/schema.js';
import { InvalidInputError } from './errors.js';
import { checkDefaults, withDefaults } from './handler/defaults.js';
import type { Enqueueable } from './handler/enqueueable.js';
import type { AnyHandler, HandlerDefaults } from './handler/handler.js';
import { failureJobs } from './handler/on-failed.js';
import { Registry } from './handler/registry.js';
import { type Resolve, unresolved } from './handler/resolve.js';
import { type Retention, RetentionLimits } from './history/retention.js';
import { checkName } from './input.js';
import { Insight } from './insight/insight.js';
import { checkOptions } from './known-options.js';
import { consoleLogger, type Logger, unfailing } from './logger.js';
import { checkNodeVersion } from './node-version.js';
import { Operator, type OperatorParts } from './operator.js';
import { aroundEnqueue } from './plugin/around-enqueue.js';
import { aroundRun } from './plugin/around-run.js';
import { definePlugin, type Plugin } from './plugin/plugin.js';
import { RunningPlugins } from './plugin/running-plugins.js';
import { DeclaredSchedules } from './schedules/declared.js';
import type { Schedule } from './schedules/schedule.js';
import { checkUntilIdle, UntilIdle, type UntilIdleOptions, type WorkReport } from './worker/until-idle.js';
import { Worker, type WorkerOptions, type WorkerParts } from './worker/worker.js';
import { workerParts } from './worker-parts.js';

export interface RowlockOptions<Tx> {
  /** The database, as a driver's package opens it. */
  readonly driver: Driver<Tx>;
  /** The plugins, in this order: the middleware of the first one is the outermost, and it starts first. */
  readonly plugins?: readonly Plugin<Tx>[];
  /** Handlers that need no plugin. Without any handler, a program only enqueues. */
  readonly handlers?: readonly AnyHandler<Tx>[];
  /**
   * Options of all handlers, those of plugins too: `attempts`, `retry`, `timeout`, `onInvalidPayload` and `onFailed`. An
   * option that a handler has itself goes before them. `attempts` counts where a job is enqueued, and the others where it
   * runs. Default: none.
   */
  readonly defaults?: HandlerDefaults;
  /**
   * Where entries of the log go. Default: warnings and errors to standard error. A job that ends as `error` is an error, and
   * a retry is a warning.
   */
  readonly log?: Logger;
  /** The time by which a worker waits, for tests. Default: the process's own clock. */
  readonly clock?: Clock;
  /**
   * Builds the handlers that are classes, once for each run: `tsyringe()` of `@rowlock/core/tsyringe`, or a function that
   * calls another container. Default: none, and a worker refuses such handlers.
   */
  readonly resolve?: Resolve<Tx>;
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

const OPTIONS: readonly string[] = [
  'driver',
  'plugins',
  'handlers',
  'defaults',
  'log',
  'clock',
  'resolve',
  'retention',
  'schedules',
  'captures',
] satisfies (keyof RowlockOptions<unknown>)[];

/** The driver of a Rowlock, for the packages that are released together with core. @throws ClosedError */
export let driverOf: <Tx>(rowlock: Rowlock<Tx>) => Driver<Tx>;

/** Jobs on one database: enqueue, inspect, and work. `createRowlock` makes it. */
export class Rowlock<Tx = unknown> extends Operator<Tx> {
  static {
    driverOf = (rowlock) => rowlock.#calls.driver;
  }

  readonly #calls: Calls<Tx>;
  readonly #operators: OperatorParts;
  readonly #work: (options: WorkerOptions) => Worker<Tx>;
  /** The captures of this program, in the database. */
  readonly captures: Captures;
  /** Why jobs wait, and what workers do and have done. */
  readonly insight: Insight<Tx>;
  /** The handlers of this program, also those of its plugins: what `enqueue` takes. */
  readonly handlers: readonly Enqueueable[];

  /** @throws DuplicateKindError when two handlers have one kind, InvalidInputError. */
  constructor(options: RowlockOptions<Tx>) {
    checkOptions('createRowlock()', options, OPTIONS);
    const {
      driver,
      plugins: given = [],
      handlers = [],
      defaults = {},
      log: logger = consoleLogger,
      clock = systemClock,
      resolve = unresolved,
      retention = {},
      schedules = {},
      captures = [],
    } = options;
    checkNodeVersion();
    if (typeof Object(Object(driver).jobs).enqueue !== 'function')
      throw new InvalidInputError(
        "createRowlock needs a driver: { driver: postgres({ connectionString }) } of '@rowlock/driver-postgres', for one.",
      );
    for (const [name, list] of Object.entries({ plugins: given, handlers, captures }))
      if (!Array.isArray(list)) throw new InvalidInputError(`${name} of createRowlock must be a list.`);
    const plugins = given.map((plugin) => definePlugin(plugin));
    checkDefaults(defaults);
    const all = new Registry([...plugins.flatMap((plugin) => plugin.handlers), ...handlers]).handlers;
    const registry = new Registry(all.map((handler) => withDefaults(handler, defaults)));
    const named = declaredLimits(plugins);
    const jobs = { limits: named, attempts: defaults.attempts };
    for (const handler of registry.handlers) checkDeclared(handler, named);
    const log = unfailing(logger);
    const here = new LocalWorkers();
    const calls = Calls.of(driver, here, jobs, log, clock);
    const limits = new RetentionLimits(retention);
    const operators = { around: aroundEnqueue(plugins, log), retention: limits };
    super(calls, operators);
    this.#calls = calls;
    this.#operators = operators;
    const unserved = limits.queues.filter((queue) => !registry.queues.includes(queue));
    // The jobs of a misspelt queue would be deleted by the general rules.
    if (unserved.length > 0 && registry.queues.length > 0)
      log.warn({ queues: unserved }, 'retention has rules for queues that no handler here is of');
    const captured = new DeclaredCaptures([
      ...plugins.flatMap((plugin) => plugin.captures ?? []),
      ...captures,
    ]);
    this.captures = new Captures(calls, captured);
    this.insight = new Insight(calls, log);
    this.handlers = registry.handlers;
    const declared = new DeclaredSchedules(
      [...plugins.map((plugin) => plugin.schedules ?? {}), schedules],
      jobs,
    );
    const parts: WorkerParts<Tx> = {
      driver,
      registry,
      around: aroundRun(plugins),
      makePlugins: (worker) => new RunningPlugins(plugins, worker, log, clock),
      client: this,
      log,
      clock,
      resolve,
      schedules: declared,
      makeParts: workerParts({ retention: limits, schedules: declared, captures: captured }),
      captured: new Set([...captured.kinds, ...kindsOfChanges(registry)]),
      failures: failureJobs(registry.handlers, jobs),
    };
    this.#work = (options) => here.add(new Worker(parts, options));
  }

  /**
   * The calls that change something, in the name of an operator. What they change is on record with that name, in the same
   * transaction, for `insight.audit`: ids, names, numbers and filters, and nothing of a payload. Nothing else is on record.
   *
   * @param name Who it is, 1 to 128 characters.
   * @throws InvalidInputError
   * @example
   * await rowlock.as('ada@example.com').jobs.cancelMany({ kind: 'mail.send' });
   */
  as(name: string): Operator<Tx> {
    checkName('The name of an operator', name);
    return new Operator(this.#calls.as(name), this.#operators);
  }

  /**
   * A worker for all handlers, or for those of some `queues`. Call `start()` to begin. There may be any number of
   * workers, in any number of processes.
   *
   * @throws InvalidInputError, ClosedError
   */
  worker(options: WorkerOptions = {}): Worker<Tx> {
    this.#calls.checkOpen();
    return this.#work(options);
  }

  /**
   * Runs jobs until no job can be run now, and says what was done and what remains: for tests, scripts and functions that
   * are called from time to time. It is a worker that starts, works as any other does, and stops. It fires schedules
   * that are due, lets followers go, and takes back the jobs of dead workers.
   *
   * It does not wait for delayed jobs, for retries, or for jobs of others' runs. It ends at once when no job of its kinds is due.
   * Where jobs are due and others or limits hold them up, it ends after half a second in which nothing could be claimed.
   *
   * @throws As `worker()` and its `start()`; DriverError when the database cannot be looked at. The worker has stopped then.
   * @example
   * const { ended, completed, remaining } = await rowlock.runUntilIdle({ atMost: '50s' });
   * if (remaining.due) console.log(`${remaining.waiting.count} jobs are left`);
   */
  async runUntilIdle(options: UntilIdleOptions = {}): Promise<WorkReport> {
    const own = checkUntilIdle(options);
    const { driver, shared, clock } = this.#calls;
    const worker = this.worker(own);
    return new UntilIdle({ worker, driver, clock, count: (jobs) => count(shared, jobs) }).run(options);
  }

  /** Brings the database's schema up to date. Safe to call twice, and from many processes at once. */
  async migrate(): Promise<MigrationReport> {
    return this.#calls.driver.schema.migrate();
  }

  /**
   * Stops the running workers, as their `stop()` does, gives back the slots that were taken without a job, sends the
   * wake-ups that are still gathered, and closes the driver. To give handlers another time to end, stop the workers first. Later calls reject with `ClosedError`.
   */
  async close(): Promise<void> {
    await this.#calls.close();
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
