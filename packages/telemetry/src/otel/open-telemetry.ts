import { type MeterProvider, type TracerProvider, trace } from '@opentelemetry/api';
import { checkOptions, type Plugin, type PluginWorker } from '@rowlock/core';
import type { Middleware } from '@rowlock/core/types';
import { DATABASE_GAUGES, PROCESS_GAUGES } from '../metrics/catalogue.js';
import { DatabaseGauges, type Watched } from '../metrics/database-gauges.js';
import { Measurements } from '../metrics/measurements.js';
import { OpenTelemetryMeter } from './open-telemetry-meter.js';
import { type SpanOptions, Spans } from './spans.js';

export interface OpenTelemetryOptions extends SpanOptions {
  /** Default: the one that the application has registered. */
  readonly tracerProvider?: TracerProvider;
  /** Default: the one that the application has registered. Register it before the first job is enqueued or run. */
  readonly meterProvider?: MeterProvider;
}

const OPTIONS: readonly string[] = [
  'tracerProvider',
  'meterProvider',
  'continueTraces',
  'keys',
] satisfies (keyof OpenTelemetryOptions)[];

/** A plugin that gives spans and metrics to OpenTelemetry. Made by `openTelemetry`. */
export class OpenTelemetry implements Plugin {
  readonly name = 'open-telemetry';
  readonly handlers = [];
  readonly #spans: Spans;
  readonly #meter: OpenTelemetryMeter;
  readonly #measurements: Measurements;
  #isObserved = false;

  readonly middleware: Middleware = {
    enqueue: (call, next) => this.#spans.enqueue(call, () => this.#measurements.enqueue(call, next)),
    run: (run, next) => this.#spans.run(run, () => this.#measurements.run(run, next)),
  };

  constructor(given: OpenTelemetryOptions) {
    checkOptions('openTelemetry()', given, OPTIONS);
    const { tracerProvider = trace, meterProvider, ...options } = given;
    this.#spans = new Spans(tracerProvider.getTracer('@rowlock/telemetry'), options);
    this.#meter = new OpenTelemetryMeter(meterProvider);
    this.#measurements = new Measurements(this.#meter);
  }

  start(starting: PluginWorker): void {
    this.#spans.start(starting);
    this.#measurements.start(starting);
    // Not ended with the last worker: the SDK would go on with the last values, and not with 0.
    if (!this.#isObserved) this.#meter.observe(PROCESS_GAUGES, () => this.#measurements.read());
    this.#isObserved = true;
  }

  stop(stopped: PluginWorker): void {
    this.#spans.stop(stopped);
    this.#measurements.stop(stopped);
  }

  /**
   * Adds the gauges of this Rowlock's database. Each collection reads them by a few small statements, at most once in 5 s.
   *
   * @returns ends the reads. Call it before `rowlock.close()`.
   */
  watch(rowlock: Watched): () => void {
    const gauges = new DatabaseGauges(rowlock);
    return this.#meter.observe(DATABASE_GAUGES, () => gauges.read());
  }
}

/**
 * Traces and metrics for OpenTelemetry, by the providers, the propagator and the context manager that the application has
 * registered. Without them it does nothing.
 *
 * @throws InvalidInputError for an unknown option.
 * @example
 * const rowlock = createRowlock({ driver, handlers, plugins: [openTelemetry()] });
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): OpenTelemetry {
  return new OpenTelemetry(options);
}
