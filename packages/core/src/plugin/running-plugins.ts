import { inCleanContext } from '../clean-context.js';
import { type Logger, withFields } from '../logger.js';
import type { Plugin, PluginWorker, WorkerOfPlugin } from './plugin.js';
import { pluginError } from './plugin-error.js';

/** The plugins that have started for one worker. */
export class RunningPlugins<Tx> {
  readonly #plugins: readonly Plugin<Tx>[];
  readonly #worker: WorkerOfPlugin;
  readonly #log: Logger;
  #started: Plugin<Tx>[] = [];
  #stopping = new AbortController();
  #isOver = false;

  constructor(plugins: readonly Plugin<Tx>[], worker: WorkerOfPlugin, log: Logger) {
    this.#plugins = plugins;
    this.#worker = worker;
    this.#log = log;
  }

  /**
   * Starts them one after the other. If one fails, those that have started are stopped. After `end` no further one is
   * started.
   *
   * @throws PluginError
   */
  async start(): Promise<void> {
    this.#stopping = new AbortController();
    for (const plugin of this.#plugins) {
      // The signal of a plugin that starts now would never abort.
      if (this.#isOver) return;
      try {
        await inCleanContext(() => plugin.start?.(this.#given(plugin)));
      } catch (error) {
        await this.stop();
        throw pluginError(plugin.name, 'start threw', error);
      }
      this.#started.push(plugin);
    }
  }

  /** Aborts their signals: the worker is to stop, and does not start again. */
  end(): void {
    this.#isOver = true;
    this.#abort();
  }

  /** Stops those that have started, the last one first. Never rejects. */
  async stop(): Promise<void> {
    this.#abort();
    const started = this.#started.reverse();
    this.#started = [];
    for (const plugin of started) {
      try {
        await inCleanContext(() => plugin.stop?.(this.#given(plugin)));
      } catch (error) {
        const fields = { err: error, plugin: plugin.name, worker: this.#worker.name };
        this.#log.error(fields, 'a plugin failed to stop');
      }
    }
  }

  #abort(): void {
    inCleanContext(() => this.#stopping.abort());
  }

  #given({ name }: Plugin<Tx>): PluginWorker {
    const log = withFields(this.#log, { plugin: name, worker: this.#worker.name });
    return { worker: this.#worker, log, signal: this.#stopping.signal };
  }
}
