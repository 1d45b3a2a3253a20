import type { DependencyContainer } from 'tsyringe';
import { Client } from './client/client.js';
import { type Clock, systemClock } from './clock.js';
import type { Driver, MigrationReport } from './driver/driver.js';
import type { AnyHandler } from './handler/handler.js';
import type { Plugin } from './handler/plugin.js';
import { Registry } from './handler/registry.js';
import { consoleLogger, type Logger } from './logger.js';
import { Worker, type WorkerOptions } from './worker/worker.js';

export interface RowlockOptions<Tx> {
  readonly driver: Driver<Tx>;
  readonly plugins?: readonly Plugin<Tx>[];
  /** Handlers that need no plugin. */
  readonly handlers?: readonly AnyHandler<Tx>[];
  /** Default: warnings and errors to standard error. */
  readonly log?: Logger;
  /** Default: the process's own. */
  readonly clock?: Clock;
  /** The tsyringe container from which each run's own container descends. Default: tsyringe's root. */
  readonly container?: DependencyContainer;
}

/** Jobs on one database: enqueue, inspect, and work. */
export class Rowlock<Tx> extends Client<Tx> {
  readonly #driver: Driver<Tx>;
  readonly #work: (options: WorkerOptions) => Worker<Tx>;

  /** @throws DuplicateKindError when two handlers have one kind. */
  constructor({
    driver,
    plugins = [],
    handlers = [],
    log = consoleLogger,
    clock = systemClock,
    container,
  }: RowlockOptions<Tx>) {
    const registry = new Registry([...plugins.flatMap((plugin) => plugin.handlers), ...handlers]);
    super(driver, registry, log, clock);
    this.#driver = driver;
    this.#work = (options) => new Worker({ driver, registry, log, clock, container }, options);
  }

  /** A worker for all handlers. It begins with `start()`; there may be any number, in any number of processes. */
  worker(options: WorkerOptions = {}): Worker<Tx> {
    return this.#work(options);
  }

  /** Brings the database's schema up to date. Safe to call twice, and from many processes at once. */
  migrate(): Promise<MigrationReport> {
    return this.#driver.migrate();
  }

  /** @throws DriverError `SchemaOutdated` unless the database's schema is the driver's. */
  async verify(): Promise<void> {
    await this.#driver.verify();
  }

  /** Sends the wake-ups that are still gathered, and closes the driver. Stop the workers first. */
  async close(): Promise<void> {
    await this.flush();
    await this.#driver.close();
  }
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
