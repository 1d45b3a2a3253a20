import { hostname } from 'node:os';
import { inCleanContext } from '../clean-context.js';
import type { Anchor, SessionListener } from '../driver/anchor.js';
import type { JoinableSchedules } from '../driver/schedule-store.js';
import { type Duration, milliseconds } from '../duration.js';
import { InvalidInputError, WorkerStoppedError } from '../errors.js';
import { checkResolve } from '../handler/resolve.js';
import { checkName, checkWhole } from '../input.js';
import { checkOptions } from '../known-options.js';
import { shown } from '../shown.js';
import { reserve, shortages } from './life/connections.js';
import { Session } from './life/session.js';
import { WorkerEmitter, type WorkerEvents } from './report/events.js';
import type { LiveRun } from './run/live-run.js';
import { type Program, Running } from './running.js';

export interface WorkerOptions {
  /** The worker's name for people. Default: the host and the process id. */
  readonly name?: string;
  /**
   * The queues that the worker serves, of those of its handlers. Default: all. The worker never claims jobs of other
   * queues.
   */
  readonly queues?: readonly string[];
  /**
   * How many runs at once, 1 to 1,000. Default 5. Each run holds a connection. With a lease it holds one only during
   * its claim and its settlement, but all runs may do so at once.
   */
  readonly concurrency?: number;
  /**
   * The version of your program, e.g. its commit, for people: 1 to 128 characters. Default: none, also where it is
   * `undefined`.
   */
  readonly version?: string | undefined;
  /** The longest time until the next look, if no wake-up comes. At least 10 ms. Default 5 s. */
  readonly pollInterval?: Duration;
  /**
   * How often to look while due jobs, or jobs to cancel, are locked, so that a dead worker's jobs are found. At least 10
   * ms. Default 250 ms.
   */
  readonly watchInterval?: Duration;
}

export interface StopOptions {
  /**
   * How long running handlers may go on. Then the handlers' signals are aborted and, 5 s later at the latest, their
   * jobs go back. Default 20 s. A stop must fit into the 30 s after which Kubernetes kills a stopping process.
   */
  readonly drain?: Duration;
}

export const WORKER_OPTIONS: readonly string[] = [
  'name',
  'queues',
  'concurrency',
  'version',
  'pollInterval',
  'watchInterval',
] satisfies (keyof WorkerOptions)[];

/** The dependencies of a worker. */
export interface WorkerParts<Tx> extends Program<Tx> {
  readonly schedules: WorkerSchedules;
  /** Makes the plugins of one worker. They have not started yet. */
  readonly makePlugins: (worker: Worker<Tx>) => WorkerPlugins;
}

/** The schedules that a worker writes before it begins. */
interface WorkerSchedules {
  readonly names: readonly string[];
  /** Resolves to whether any was new, or differed. */
  write(store: JoinableSchedules, by: string): Promise<boolean>;
}

/** The plugins of one worker, from its start to its end. */
interface WorkerPlugins {
  start(): Promise<void>;
  /** The worker is to stop, and does not start again. */
  end(): void;
  /** The worker stops, and its handlers may go on for this long, in milliseconds. */
  hurry(drainMs: number): void;
  stop(): Promise<void>;
}

/**
 * The least pause between two looks, in milliseconds. Looks without a pause would take all of the processor and the
 * server.
 */
const LEAST_MS = 10;

/** The consequences for a worker that it has no session of its own. */
const HEARTBEAT =
  "the connections share the server's sessions, as behind a transaction pooler: a heartbeat each second proves this worker " +
  'alive, wake-ups are polled, and if it dies its leases are put back after 5 s and not at once';

/**
 * Claims jobs and runs their handlers. Sleeps until a wake-up, a job's time or the poll interval. Then sweeps its
 * queues, in as many slots as there is work for.
 */
export class Worker<Tx = unknown> {
  readonly name: string;
  readonly concurrency: number;
  readonly #parts: WorkerParts<Tx>;
  readonly #plugins: WorkerPlugins;
  readonly #version: string | null;
  readonly #pollMs: number;
  readonly #watchMs: number;
  readonly #events: WorkerEmitter;
  #running: Running<Tx> | null = null;
  #started: Promise<void> | null = null;
  #stopped: Promise<void> | null = null;
  #drainMs = Number.POSITIVE_INFINITY;
  #giveBack: () => void = () => {};

  /** @throws InvalidInputError */
  constructor(parts: WorkerParts<Tx>, options: WorkerOptions = {}) {
    checkOptions('worker()', options, WORKER_OPTIONS);
    const { name = `${hostname()}:${process.pid}`, concurrency = 5, version = null } = options;
    checkName('name', name);
    checkWhole('concurrency', concurrency, 1, 1_000);
    if (version !== null) checkName('version', version);
    if (parts.registry.kinds.length === 0) {
      throw new InvalidInputError(
        'A worker needs at least one handler: pass plugins or handlers to createRowlock.',
      );
    }
    this.name = name;
    this.concurrency = concurrency;
    this.#version = version;
    const registry = options.queues === undefined ? parts.registry : parts.registry.of(options.queues);
    checkResolve(registry.handlers, parts.resolve);
    this.#parts = { ...parts, registry };
    this.#plugins = parts.makePlugins(this);
    this.#pollMs = interval(options.pollInterval ?? '5s', 'pollInterval');
    this.#watchMs = interval(options.watchInterval ?? '250ms', 'watchInterval');
    this.#events = new WorkerEmitter(parts.log);
  }

  on<Name extends keyof WorkerEvents>(name: Name, listener: (...given: WorkerEvents[Name]) => void): this {
    this.#events.on(name, listener);
    return this;
  }

  off<Name extends keyof WorkerEvents>(name: Name, listener: (...given: WorkerEvents[Name]) => void): this {
    this.#events.off(name, listener);
    return this;
  }

  /**
   * Subscribes to wake-ups and begins to work. Resolves when it has subscribed. From then on the worker goes on until
   * `stop`, also through restarts of the server. After a rejection, it may be called again. Also resolves if `stop` is
   * called meanwhile.
   *
   * @throws DriverError: `SchemaOutdated`, `SchemaDiffers`, `ConnectionLost`, `PermissionDenied`, or `EngineUnsuitable` when
   * the server, a setting of it or the database client is unsuitable
   * @throws PoolTooSmallError
   * @throws PluginError when a plugin's `start` throws
   * @throws WorkerStoppedError once `stop` was called
   */
  start(): Promise<void> {
    if (this.#stopped !== null) {
      const message =
        'This worker was stopped and does not start again: make a new one, by rowlock.worker().';
      return Promise.reject(new WorkerStoppedError(message));
    }
    this.#started ??= inCleanContext(() => this.#start()).catch(async (error: unknown) => {
      await this.#plugins.stop();
      this.#giveBack();
      // So that `start` can be called again.
      this.#started = null;
      throw error;
    });
    return this.#started;
  }

  /**
   * Claims nothing more, waits for the running handlers, and ends the session. Safe to call twice. A second call whose
   * `drain` ends sooner shortens the first, and both resolve together.
   *
   * @throws InvalidInputError; then the worker goes on as before.
   */
  stop(options: StopOptions = {}): Promise<void> {
    checkOptions('stop()', options, ['drain']);
    const { drain } = options;
    try {
      if (drain !== undefined || this.#stopped === null) this.#hurry(milliseconds(drain ?? '20s', 'drain'));
    } catch (error) {
      return Promise.reject(error);
    }
    this.#stopped ??= inCleanContext(() => this.#stop()).finally(() => this.#giveBack());
    return this.#stopped;
  }

  #hurry(drainMs: number): void {
    this.#drainMs = Math.min(this.#drainMs, drainMs);
    this.#running?.hurry(drainMs);
    this.#plugins.hurry(drainMs);
  }

  /** The id that `workers()` lists. Undefined until the worker has started. */
  get id(): string | undefined {
    return this.#running?.anchor.workerId;
  }

  /** The queues that the worker serves. */
  get queues(): readonly string[] {
    return this.#parts.registry.queues;
  }

  /** The kinds that the worker serves. */
  get kinds(): readonly string[] {
    return this.#parts.registry.kinds;
  }

  /** Looks for work now, in this queue first. */
  wake(queue?: string): void {
    if (queue === undefined) this.#running?.wake();
    else this.#running?.wakeUp({ queue });
  }

  async #start(): Promise<void> {
    const { driver, clock, log, schedules } = this.#parts;
    const live = new Set<LiveRun>();
    const session = new Session(clock, live);
    this.#reserve(session);
    const { limits, warnings = [] } = await driver.schema.verify(false);
    for (const warning of [...warnings, ...shortages(driver, limits)])
      log.warn({ worker: this.name }, warning);
    await this.#plugins.start();
    if (this.#stopped !== null) return;
    const host = hostname();
    const isNew = await schedules.write(driver.schedules, host);
    const anchor = await this.#register(host, session);
    const running = new Running({
      ...{ ...this.#parts, worker: this.name, host, concurrency: this.concurrency, anchor, session, live },
      ...{ pollMs: this.#pollMs, watchMs: this.#watchMs, events: this.#events },
    });
    this.#running = running;
    await running.start();
    this.#logStart(anchor);
    // A hint to other workers, which poll behind it.
    if (isNew) await driver.workers.notify(schedules.names.map((schedule) => ({ schedule }))).catch(() => {});
    this.#events.emit('start');
  }

  /** Takes the worker's share of the driver's pool. @throws PoolTooSmallError */
  #reserve(session: Session): void {
    const { driver, log } = this.#parts;
    const giveBack = reserve(driver, this.concurrency);
    const endShortages = driver.pool?.onShortage((error) => {
      log.warn({ err: error, worker: this.name }, 'the server accepts too few connections');
      this.#events.emit('fault', error);
    });
    this.#giveBack = () => {
      session.end();
      endShortages?.();
      giveBack();
    };
  }

  #register(host: string, session: SessionListener): Promise<Anchor> {
    const { driver, registry, schedules } = this.#parts;
    const { queues, kindsServed: kinds } = registry;
    const info = { name: this.name, host, pid: process.pid, queues, schedules: schedules.names, kinds };
    const own = { concurrency: this.concurrency, version: this.#version, memory: process.memoryUsage.rss() };
    return driver.workers.anchor({ ...info, ...own }, session);
  }

  #logStart({ pushed, proof }: Anchor): void {
    const { log } = this.#parts;
    const { name: worker, queues, concurrency } = this;
    log.info({ worker, queues, concurrency, wakeUps: pushed ? 'pushed' : 'polled' }, 'worker started');
    if (proof === 'heartbeat') log.info({ worker }, HEARTBEAT);
  }

  async #stop(): Promise<void> {
    this.#plugins.end();
    await this.#started?.catch(() => {});
    try {
      await this.#running?.stop(this.#drainMs);
      this.#giveBack();
    } finally {
      await this.#plugins.stop();
    }
    if (this.#running !== null) this.#parts.log.info({ worker: this.name }, 'worker stopped');
    this.#events.emit('stop');
  }
}

/** @throws InvalidInputError */
function interval(duration: Duration, name: string): number {
  const ms = milliseconds(duration, name);
  if (ms >= LEAST_MS) return ms;
  throw new InvalidInputError(`${name} must be at least ${LEAST_MS} ms, not ${shown(duration)}.`);
}
