import { limitsOfPlugin, type PluginLimits } from '../admission/declared-limits.js';
import type { Capture } from '../captures/capture.js';
import { InvalidInputError } from '../errors.js';
import type { AnyHandler } from '../handler/handler.js';
import { checkName } from '../input.js';
import { checkOptions } from '../known-options.js';
import type { Logger } from '../logger.js';
import type { Schedule } from '../schedules/schedule.js';
import type { WorkerEvents } from '../worker/report/events.js';
import type { Middleware } from './middleware.js';

/** A named part of an application: handlers, and code around enqueues and runs. Made by `definePlugin`. */
export interface Plugin<Tx = unknown> extends PluginDefinition<Tx> {
  readonly handlers: readonly AnyHandler<Tx>[];
}

/** The input of `definePlugin`. */
export interface PluginDefinition<Tx = unknown> {
  /** Names the plugin in errors and in the log, 1 to 128 characters. */
  readonly name: string;
  /** The handlers that workers run. Default: none. */
  readonly handlers?: readonly AnyHandler<Tx>[];
  /**
   * Called when a worker starts, before its first claim, and awaited. Each worker of the Rowlock calls it by itself. If
   * it throws, `worker.start()` rejects with `PluginError`, and the plugins that have started for that worker are
   * stopped.
   */
  readonly start?: (starting: PluginWorker) => unknown;
  /**
   * Called with the argument of `start` when a worker has stopped, after its last run, and awaited. The plugin that
   * started last stops first. An error is logged. One that has not ended 5 s after the worker's `drain` is left behind.
   */
  readonly stop?: (stopped: PluginWorker) => unknown;
  /** Code around every call that enqueues, and around every run. Default: none. */
  readonly middleware?: Middleware<Tx>;
  /**
   * Limits by name: `{ mail: { max: 20 } }`. Every handler of the Rowlock may name such a limit alone, as in
   * `limit: 'mail'`. Numbers that were set at run time go before these. Default: none.
   */
  readonly limits?: PluginLimits;
  /** Jobs that are enqueued at times of their own, by name. Default: none. */
  readonly schedules?: Readonly<Record<string, Schedule>>;
  /** Changes of tables that become jobs. Default: none. */
  readonly captures?: readonly Capture[];
}

/** The argument of a plugin's `start` and `stop`. */
export interface PluginWorker {
  readonly worker: WorkerOfPlugin;
  /** Its entries have the names of the plugin and of the worker. */
  readonly log: Logger;
  /** Aborted when the worker is to stop. Its runs may still go on then. */
  readonly signal: AbortSignal;
}

/** A worker, as far as a plugin needs it. */
export interface WorkerOfPlugin {
  readonly name: string;
  readonly queues: readonly string[];
  readonly concurrency: number;
  on<Name extends keyof WorkerEvents>(name: Name, listener: (...given: WorkerEvents[Name]) => void): unknown;
  off<Name extends keyof WorkerEvents>(name: Name, listener: (...given: WorkerEvents[Name]) => void): unknown;
}

/**
 * Defines a plugin. Usually a function takes the plugin's dependencies and returns this.
 *
 * @throws InvalidInputError when a member is of the wrong form, or unknown.
 * @example
 * const timing = definePlugin({
 *   name: 'timing',
 *   middleware: {
 *     async run({ job, log }, next) {
 *       const start = performance.now();
 *       await next();
 *       log.info({ ms: performance.now() - start }, `${job.kind} has run`);
 *     },
 *   },
 * });
 */
export function definePlugin<Tx = unknown>(definition: PluginDefinition<Tx>): Plugin<Tx> {
  if (typeof definition !== 'object' || definition === null)
    throw new InvalidInputError('A plugin is an object: definePlugin({ name, handlers }).');
  const { name, handlers = [], limits, start, stop, middleware = {}, schedules, captures } = definition;
  checkName('The name of a plugin', name);
  checkOptions(`The plugin ${JSON.stringify(name)}`, definition, MEMBERS);
  checkFunctions(name, definition, ['start', 'stop']);
  limitsOfPlugin(definition);
  if (!Array.isArray(handlers)) throw wrong(name, 'handlers', 'a list');
  checkOptions(`The middleware of the plugin ${JSON.stringify(name)}`, middleware, MIDDLEWARE);
  checkFunctions(name, middleware, MIDDLEWARE);
  if (schedules !== undefined && (typeof schedules !== 'object' || schedules === null))
    throw wrong(name, 'schedules', 'an object, { name: schedule }');
  if (captures !== undefined && !Array.isArray(captures)) throw wrong(name, 'captures', 'a list');
  // Bound: the definition may be an object of a class.
  return {
    name,
    handlers,
    middleware,
    ...(limits && { limits }),
    ...(schedules && { schedules }),
    ...(captures && { captures }),
    ...(start && { start: start.bind(definition) }),
    ...(stop && { stop: stop.bind(definition) }),
  };
}

const MEMBERS: readonly string[] = [
  'name',
  'handlers',
  'limits',
  'start',
  'stop',
  'middleware',
  'schedules',
  'captures',
] satisfies (keyof PluginDefinition)[];

const MIDDLEWARE: readonly string[] = ['enqueue', 'run'] satisfies (keyof Middleware)[];

function checkFunctions(plugin: string, given: object, names: readonly string[]): void {
  const odd = names.find((name) => !['undefined', 'function'].includes(typeof Object(given)[name]));
  if (odd !== undefined) throw wrong(plugin, odd, 'a function');
}

function wrong(plugin: string, member: string, form: string): InvalidInputError {
  return new InvalidInputError(`${member} of the plugin ${JSON.stringify(plugin)} must be ${form}.`);
}
