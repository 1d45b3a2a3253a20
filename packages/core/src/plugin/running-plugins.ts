import { inCleanContext } from '../clean-context.js';
import type { Clock } from '../clock.js';
import { type Logger, withFields } from '../logger.js';
import { GRACE_MS } from '../worker/run/time-limits.js';
import { Alarm } from '../worker/time/alarm.js';
import type { Plugin, PluginWorker, WorkerOfPlugin } from './plugin.js';
import { pluginError } from './plugin-error.js';

/** How long a `start` may take before the log says that the worker waits for it, in milliseconds. */
const SLOW_MS = 10_000;

/** The plugins that have started for one worker. A worker that stops leaves behind what a plugin does not end in time. */
export class RunningPlugins<Tx> {
  readonly #plugins: readonly Plugin<Tx>[];
  readonly #worker: WorkerOfPlugin;
  readonly #log: Logger;
  readonly #clock: Clock;
  /** Rings when the call that goes on is left behind. */
  #patience: Alarm | null = null;
  /** When the worker waits no longer. */
  #until = Number.POSITIVE_INFINITY;
  #started: Plugin<Tx>[] = [];
  #stopping = new AbortController();
  #isOver = false;

  constructor(plugins: readonly Plugin<Tx>[], worker: WorkerOfPlugin, log: Logger, clock: Clock) {
    this.#plugins = plugins;
    this.#worker = worker;
    this.#log = log;
    this.#clock = clock;
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
        if (!(await this.#start(plugin))) return;
      } catch (error) {
        await this.stop();
        throw pluginError(plugin.name, 'start threw', error);
      }
      this.#started.push(plugin);
    }
  }

  /** Whether a plugin has started. False: it was left behind. @throws what it throws */
  async #start(plugin: Plugin<Tx>): Promise<boolean> {
    const fields = this.#fieldsOf(plugin);
    const endNotice = this.#clock.after(SLOW_MS, () =>
      this.#log.warn(fields, 'the start of a plugin has not ended for 10 s; the worker waits for it'),
    );
    try {
      if (await this.#endsInTime(() => plugin.start?.(this.#given(plugin)))) return true;
      this.#log.error(
        fields,
        'the start of a plugin did not end although its signal was aborted; it is left behind',
      );
      return false;
    } finally {
      endNotice();
    }
  }

  /** A worker that stops waits this long, in milliseconds, and then as long as for its handlers. The shortest of its calls decides. */
  hurry(ms: number): void {
    this.#until = Math.min(this.#until, this.#clock.now() + ms + GRACE_MS);
    this.#patience?.within(ms + GRACE_MS);
  }

  /** Aborts their signals: the worker is to stop, and does not start again. */
  end(): void {
    this.#isOver = true;
    this.#abort();
  }

  /** Stops those that have started, the last one first, in what is left of the time, and no less than the grace. Never rejects. */
  async stop(): Promise<void> {
    this.#abort();
    const least = this.#clock.now() + GRACE_MS;
    this.#until = Number.isFinite(this.#until) ? Math.max(this.#until, least) : least;
    const started = this.#started.reverse();
    this.#started = [];
    for (const plugin of started) {
      const fields = this.#fieldsOf(plugin);
      try {
        if (!(await this.#endsInTime(() => plugin.stop?.(this.#given(plugin)))))
          this.#log.error(fields, 'the stop of a plugin did not end in time; it is left behind');
      } catch (error) {
        this.#log.error({ err: error, ...fields }, 'a plugin failed to stop');
      }
    }
    this.#until = Number.POSITIVE_INFINITY;
  }

  /** Whether a call of a plugin ends in time. @throws what it throws */
  async #endsInTime(call: () => unknown): Promise<boolean> {
    const late = Promise.withResolvers<false>();
    this.#patience = new Alarm(this.#clock, () => late.resolve(false));
    if (Number.isFinite(this.#until)) this.#patience.within(this.#until - this.#clock.now());
    try {
      return await Promise.race([late.promise, inCleanContext(async () => call()).then(() => true)]);
    } finally {
      this.#patience.stop();
      this.#patience = null;
    }
  }

  #abort(): void {
    inCleanContext(() => this.#stopping.abort());
  }

  #fieldsOf({ name }: Plugin<Tx>): { readonly plugin: string; readonly worker: string } {
    return { plugin: name, worker: this.#worker.name };
  }

  #given({ name }: Plugin<Tx>): PluginWorker {
    const log = withFields(this.#log, { plugin: name, worker: this.#worker.name });
    return { worker: this.#worker, log, signal: this.#stopping.signal };
  }
}
