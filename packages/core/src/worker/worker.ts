import { hostname } from 'node:os';
import type { DependencyContainer } from 'tsyringe';
import { inCleanContext } from '../clean-context.js';
import type { Clock } from '../clock.js';
import type { Anchor } from '../driver/anchor.js';
import type { Driver } from '../driver/driver.js';
import { type Duration, milliseconds } from '../duration.js';
import { InvalidInputError, WorkerStoppedError } from '../errors.js';
import type { Registry } from '../handler/registry.js';
import { checkName, checkWhole } from '../input.js';
import type { Logger } from '../logger.js';
import { aroundRun } from '../plugin/around-run.js';
import type { Plugin } from '../plugin/plugin.js';
import { RunningPlugins } from '../plugin/running-plugins.js';
import { Pruner } from '../retention/pruner.js';
import type { RetentionLimits } from '../retention/retention.js';
import type { DeclaredSchedules } from '../schedule/declared.js';
import { BatchSizes } from './flow/batch-sizes.js';
import type { Flow } from './flow/context.js';
import { sweep } from './flow/turn.js';
import { reserve, shortages } from './life/connections.js';
import { Session } from './life/session.js';
import { Cancellations } from './look/cancellations.js';
import { DueQueues } from './look/due-queues.js';
import { Followers } from './look/followers.js';
import { LimitedJobs } from './look/limited-jobs.js';
import { RatedStarts } from './look/rated-starts.js';
import { Rounds } from './look/rounds.js';
import { ScanPosition } from './look/scan-position.js';
import { Slots } from './look/slots.js';
import { Surveyor } from './look/surveyor.js';
import { Ticks } from './look/ticks.js';
import { Unserved } from './look/unserved.js';
import { RunRecords } from './record/run-records.js';
import type { Enqueues } from './run/context.js';
import type { LiveRun } from './run/live-run.js';
import type { RunInfo } from './run/run-info.js';
import { limitMs } from './run/time-limits.js';
import { WorkerEmitter, type WorkerEvents } from './tell/events.js';
import { Faults } from './tell/faults.js';
import { LineReporter } from './tell/line-reporter.js';
import { logPauses } from './tell/paused-work.js';
import { Statistics } from './tell/statistics.js';
import { Alarm } from './time/alarm.js';

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

/** The dependencies of a worker. */
export interface WorkerParts<Tx> {
  readonly driver: Driver<Tx>;
  readonly registry: Registry<Tx>;
  readonly plugins: readonly Plugin<Tx>[];
  /** Enqueues for handlers. */
  readonly client: Enqueues<Tx>;
  readonly log: Logger;
  readonly clock: Clock;
  readonly container: DependencyContainer | undefined;
  readonly retention: RetentionLimits;
  readonly schedules: DeclaredSchedules;
  /** The kinds of the captures. */
  readonly captured: ReadonlySet<string>;
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

/** The parts that exist between `start` and `stop`. */
interface Running {
  readonly anchor: Anchor;
  readonly slots: Slots;
  readonly rounds: Pick<Rounds, 'beginAt'>;
  readonly limited: LimitedJobs;
  readonly starts: RatedStarts;
  readonly surveyor: Surveyor;
  readonly ticks: Ticks;
  readonly lines: LineReporter;
  readonly statistics: Statistics;
  readonly unserved: Unserved;
  readonly followers: Followers;
  readonly beside: readonly Promise<void>[];
}

/**
 * Claims jobs and runs their handlers. Sleeps until a wake-up, a job's time or the poll interval. Then sweeps its
 * queues, in as many slots as there is work for.
 */
export class Worker<Tx> {
  readonly name: string;
  readonly concurrency: number;
  readonly #parts: WorkerParts<Tx>;
  readonly #plugins: RunningPlugins<Tx>;
  readonly #pollMs: number;
  readonly #watchMs: number;
  readonly #events: WorkerEmitter;
  readonly #stopping = new AbortController();
  /** Aborted later than `#stopping`: a cancellation may still come while handlers end. */
  readonly #unsubscribing = new AbortController();
  readonly #taken = new Set<string>();
  readonly #live = new Set<LiveRun>();
  readonly #cancellations: Cancellations;
  readonly #leftBehind = new Set<RunInfo>();
  /** By queue. */
  readonly #positions: ReadonlyMap<string, ScanPosition>;
  readonly #alarm: Alarm;
  readonly #faults: Faults;
  #running: Running | null = null;
  #started: Promise<void> | null = null;
  #stopped: Promise<void> | null = null;
  #drainMs = Number.POSITIVE_INFINITY;
  /** While the worker drains: rings when the handlers' time is over. */
  #patience: Alarm | null = null;
  #giveBack: () => void = () => {};

  /** @throws InvalidInputError */
  constructor(parts: WorkerParts<Tx>, options: WorkerOptions = {}) {
    const { name = `${hostname()}:${process.pid}`, concurrency = 5 } = options;
    checkName('name', name);
    checkWhole('concurrency', concurrency, 1, 1_000);
    if (parts.registry.kinds.length === 0) {
      throw new InvalidInputError(
        'A worker needs at least one handler: pass plugins or handlers to createRowlock.',
      );
    }
    this.name = name;
    this.concurrency = concurrency;
    const registry = options.queues === undefined ? parts.registry : parts.registry.of(options.queues);
    this.#parts = { ...parts, registry };
    this.#plugins = new RunningPlugins(parts.plugins, this, parts.log);
    this.#pollMs = interval(options.pollInterval ?? '5s', 'pollInterval');
    this.#positions = new Map(registry.queues.map((queue) => [queue, new ScanPosition(this.#pollMs)]));
    this.#watchMs = interval(options.watchInterval ?? '250ms', 'watchInterval');
    const { driver, clock } = parts;
    this.#cancellations = new Cancellations({ driver, clock, everyMs: this.#watchMs, live: this.#live });
    this.#events = new WorkerEmitter(parts.log);
    this.#alarm = new Alarm(parts.clock, () => {
      this.wake();
      this.#running?.surveyor.watch.start();
    });
    this.#faults = new Faults({
      clock,
      log: parts.log,
      events: this.#events,
      alarm: this.#alarm,
      worker: name,
    });
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
   * `stop`, also through restarts of the server. After a rejection, it may be called again.
   *
   * @throws DriverError: `SchemaOutdated`, `ConnectionLost`, `PermissionDenied`, or `Unknown` when a setting of the
   * server is unsuitable
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
      this.#giveBack = () => {};
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
  stop({ drain }: StopOptions = {}): Promise<void> {
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
    this.#patience?.within(drainMs);
  }

  /** The id that `workers()` lists. Undefined until the worker has started. */
  get id(): string | undefined {
    return this.#running?.anchor.workerId;
  }

  /** The queues that the worker serves. */
  get queues(): readonly string[] {
    return this.#parts.registry.queues;
  }

  /** Looks for work now, in this queue first. */
  wake(queue?: string): void {
    if (queue !== undefined) {
      this.#running?.rounds.beginAt(queue);
      this.#running?.limited.added(queue);
    }
    // A slot that is opened goes on for long, and its caller's context is none of its business.
    inCleanContext(() => this.#running?.slots.wake());
  }

  async #start(): Promise<void> {
    const { driver, registry, client, plugins, clock, log, container, retention, schedules, captured } =
      this.#parts;
    const session = new Session(clock, this.#live);
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
    const { limits, warnings = [] } = await driver.verify();
    for (const warning of [...warnings, ...shortages(driver, limits)])
      log.warn({ worker: this.name }, warning);
    await this.#plugins.start();
    const host = hostname();
    const isNew = await schedules.write(driver.schedules, host);
    const info = {
      name: this.name,
      host,
      pid: process.pid,
      queues: registry.queues,
      schedules: schedules.names,
      kinds: registry.kindsServed,
    };
    const anchor = await driver.anchor(info, session);
    const lines = new LineReporter(anchor, clock, log);
    const starts = new RatedStarts({ driver, clock, mostMs: this.#pollMs, onFault: this.#faults.meet });
    const followers = new Followers({ driver, clock, log, everyMs: this.#pollMs });
    const statistics = new Statistics({ driver, workerId: anchor.workerId, live: this.#live, clock, log });
    const unserved = new Unserved({ driver, clock, log, events: this.#events, worker: this.name });
    const flow: Omit<Flow<Tx>, 'claimed'> = {
      driver,
      registry,
      client,
      around: aroundRun(plugins),
      clock,
      log,
      container,
      host,
      events: this.#events,
      workerId: anchor.workerId,
      idleLimitMs: limitMs(registry.longestHeldRunMs),
      sizes: new BatchSizes(registry, clock),
      records: new RunRecords(driver, clock),
      starts,
      taken: this.#taken,
      live: this.#live,
      cancellations: this.#cancellations,
      statistics,
      followers,
      leftBehind: this.#leftBehind,
      captured,
      unknownKinds: new Set(),
      stopping: this.#stopping.signal,
      anchored: () => session.isOpen,
      answered: () => anchor.pushed && slots.isAnswered,
      looked: ({ queue }, { publicId }) => lines.move(queue, publicId),
    };
    const slots = new Slots({
      clock,
      concurrency: this.concurrency,
      stopping: this.#stopping.signal,
      serve: (slot) => rounds.serve(slot),
      idle: () => rest(),
    });
    const all = {
      positions: this.#positions,
      alarm: this.#alarm,
      onFault: this.#faults.meet,
    };
    const limited = new LimitedJobs({
      driver,
      queues: registry.queues,
      starts,
      expected: registry.hasLimits,
      clock,
      alarm: this.#alarm,
      wake: () => this.wake(),
      retryMs: this.#watchMs,
      pollMs: this.#pollMs,
      onFault: this.#faults.meet,
    });
    const ticks = new Ticks({
      schedules: driver.schedules,
      clock,
      retryMs: this.#watchMs,
      onBroken: (schedule, error) =>
        log.error(
          { err: error, schedule, worker: this.name },
          'the times of a schedule cannot be computed here',
        ),
      onFault: (error) => {
        log.warn({ err: error, worker: this.name }, 'firing schedules failed; trying again');
        this.#events.emit('fault', error);
      },
    });
    const surveyor = new Surveyor({
      ...all,
      driver,
      lanes: registry,
      workerId: anchor.workerId,
      live: this.#live,
      clock,
      cancellations: this.#cancellations,
      pollMs: this.#pollMs,
      watchMs: this.#watchMs,
      busy: () => slots.areAllOpen && !this.#stopping.signal.aborted,
      wake: () => {
        limited.added();
        this.wake();
      },
      limited: () => limited.found(),
      waitForStarts: () => limited.waitForStarts,
      ticks: (nextTickMs) => ticks.surveyed(nextTickMs),
      followers: (any) => followers.surveyed(any),
      done: () => {
        if (slots.areAllClosed) rest();
      },
    });
    // The worker is not idle before a survey that was put off, and before a look at all jobs that is to come.
    const rest = (): void => {
      if (!surveyor.mayLookAgain && !rounds.mustLookAgain && !this.#stopping.signal.aborted) this.#rest();
    };
    const rounds: Rounds = new Rounds({
      ...all,
      clock,
      stopping: this.#stopping.signal,
      dueQueues: new DueQueues({ driver, lanes: registry, clock, mostMs: this.#pollMs }),
      sweep: (pass, claimed) => sweep({ ...flow, claimed }, pass),
      limited,
      slots,
      surveyor,
    });
    const pruner = new Pruner({
      driver,
      limits: retention,
      clock,
      log,
      workerId: anchor.workerId,
      stopping: this.#stopping.signal,
    });
    await logPauses(driver, registry, this.name, log);
    const beside = [
      this.#listen(anchor).catch(this.#faults.meet),
      ...(retention.any || registry.hasLimits ? [pruner.run()] : []),
    ];
    this.#running = {
      anchor,
      slots,
      rounds,
      limited,
      starts,
      surveyor,
      ticks,
      lines,
      statistics,
      unserved,
      followers,
      beside,
    };
    const wakeUps = anchor.pushed ? 'pushed' : 'polled';
    log.info(
      { worker: this.name, queues: registry.queues, concurrency: this.concurrency, wakeUps },
      'worker started',
    );
    // Others are found by the first survey.
    if (schedules.names.length > 0) ticks.look();
    // A hint to other workers, which poll behind it.
    if (isNew) await driver.notify(schedules.names.map((schedule) => ({ schedule }))).catch(() => {});
    if (anchor.proof === 'heartbeat') log.info({ worker: this.name }, HEARTBEAT);
    this.#events.emit('start');
  }

  /** The first wake-up comes when the session is subscribed, and starts the first look. */
  async #listen(anchor: Anchor): Promise<void> {
    const { signal } = this.#unsubscribing;
    const { queues } = this.#parts.registry;
    for await (const wakeUp of anchor.wakeUps({ queues, everyMs: this.#pollMs, signal })) {
      if (wakeUp.rate !== undefined) {
        if (this.#running?.starts.changed(wakeUp.rate)) this.wake();
        continue;
      }
      if (wakeUp.limit !== undefined) {
        if (this.#running?.limited.freed([wakeUp.limit])) this.wake();
        continue;
      }
      if (wakeUp.after !== undefined) {
        this.#running?.followers.named(wakeUp.after);
        continue;
      }
      if (wakeUp.schedule !== undefined) {
        this.#running?.ticks.look();
        continue;
      }
      if (wakeUp.cancel === undefined) {
        this.#running?.limited.added(wakeUp.queue);
        this.wake(wakeUp.queue);
        continue;
      }
      this.#cancellations.receive(wakeUp);
      // A transaction other than a run may hold the job.
      this.#alarm.within(this.#watchMs);
    }
  }

  #rest(): void {
    this.#running?.lines.rest();
    this.#running?.unserved.idle();
    this.#events.emit('idle');
  }

  async #stop(): Promise<void> {
    this.#plugins.abort();
    await this.#started?.catch(() => {});
    this.#stopping.abort();
    if (this.#running === null) return;
    try {
      await this.#end(this.#running);
    } finally {
      await this.#plugins.stop();
    }
    this.#parts.log.info({ worker: this.name }, 'worker stopped');
    this.#events.emit('stop');
  }

  /** Waits for the runs, and ends the session. */
  async #end({
    anchor,
    slots,
    surveyor,
    ticks,
    lines,
    statistics,
    unserved,
    followers,
    beside,
  }: Running): Promise<void> {
    const ticked = ticks.stop();
    this.#patience = new Alarm(this.#parts.clock, () => {
      for (const run of this.#live) run.stop(new WorkerStoppedError());
    });
    this.#patience.within(this.#drainMs);
    await slots.stop();
    this.#patience.stop();
    this.#patience = null;
    this.#unsubscribing.abort();
    await surveyor.stop();
    await ticked;
    await this.#cancellations.retryAll().catch((error: unknown) => {
      this.#parts.log.warn({ err: error, worker: this.name }, 'cancellations may have been lost');
    });
    lines.stop();
    await unserved.stop();
    await followers.stop();
    await statistics.stop();
    await Promise.all(beside);
    this.#alarm.stop();
    await anchor.release();
    this.#giveBack();
  }
}

/** @throws InvalidInputError */
function interval(duration: Duration, name: string): number {
  const ms = milliseconds(duration, name);
  if (ms >= LEAST_MS) return ms;
  throw new InvalidInputError(`${name} must be at least ${LEAST_MS} ms, not ${JSON.stringify(duration)}.`);
}
