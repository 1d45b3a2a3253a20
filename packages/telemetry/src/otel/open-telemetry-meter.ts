import {
  type Attributes,
  type BatchObservableResult,
  type Counter,
  type Histogram,
  type MeterProvider,
  metrics,
  type ObservableGauge,
  type Meter as OtelMeter,
} from '@opentelemetry/api';
import {
  BOUNDS,
  COUNTERS,
  type CounterName,
  type DATABASE_GAUGES,
  HISTOGRAMS,
  type HistogramName,
  type Metric,
  type PROCESS_GAUGES,
} from '../metrics/catalogue.js';
import type { Labels, Meter, Reading } from '../metrics/meter.js';
import { quietly } from './quietly.js';

/**
 * Passes on to OpenTelemetry what is measured. Each instrument is made at its first use: one that is made before the application has
 * registered its meter provider does nothing for ever.
 */
export class OpenTelemetryMeter implements Meter {
  readonly #provider: MeterProvider | undefined;
  #meter: OtelMeter | null = null;
  readonly #counters = new Map<CounterName, Counter<Attributes>>();
  readonly #histograms = new Map<HistogramName, Histogram<Attributes>>();

  constructor(provider: MeterProvider | undefined) {
    this.#provider = provider;
  }

  add(counter: CounterName, labels: Labels, by: number): void {
    quietly(() => this.#counterOf(counter).add(by, labels));
  }

  #counterOf(counter: CounterName): Counter<Attributes> {
    const known = this.#counters.get(counter);
    const { name, unit, help } = COUNTERS[counter];
    const instrument = known ?? this.#own.createCounter(name, { unit, description: help });
    if (known === undefined) this.#counters.set(counter, instrument);
    return instrument;
  }

  record(histogram: HistogramName, labels: Labels, seconds: number): void {
    quietly(() => this.#histogramOf(histogram).record(seconds, labels));
  }

  #histogramOf(histogram: HistogramName): Histogram<Attributes> {
    const known = this.#histograms.get(histogram);
    const { name, unit, help } = HISTOGRAMS[histogram];
    const advice = { explicitBucketBoundaries: [...BOUNDS] };
    const instrument = known ?? this.#own.createHistogram(name, { unit, description: help, advice });
    if (known === undefined) this.#histograms.set(histogram, instrument);
    return instrument;
  }

  /** Reads gauges at each collection, until the returned function is called. */
  observe(
    gauges: typeof PROCESS_GAUGES | typeof DATABASE_GAUGES,
    read: () => readonly Reading[] | Promise<readonly Reading[]>,
  ): () => void {
    return quietly(() => this.#observe(gauges, read)) ?? (() => {});
  }

  #observe(
    gauges: typeof PROCESS_GAUGES | typeof DATABASE_GAUGES,
    read: () => readonly Reading[] | Promise<readonly Reading[]>,
  ): () => void {
    const instruments = new Map<Metric, ObservableGauge<Attributes>>(
      Object.values(gauges).map((metric) => [metric, this.#gauge(metric)]),
    );
    const collect = async (result: BatchObservableResult): Promise<void> => {
      for (const { metric, labels, value } of await read()) {
        const instrument = instruments.get(metric);
        if (instrument !== undefined) result.observe(instrument, value, labels);
      }
    };
    const all = [...instruments.values()];
    this.#own.addBatchObservableCallback(collect, all);
    return () => this.#own.removeBatchObservableCallback(collect, all);
  }

  #gauge({ name, unit, help }: Metric): ObservableGauge<Attributes> {
    return this.#own.createObservableGauge(name, { unit, description: help });
  }

  get #own(): OtelMeter {
    this.#meter ??= (this.#provider ?? metrics).getMeter('@rowlock/telemetry');
    return this.#meter;
  }
}
