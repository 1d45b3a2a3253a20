import type { CounterName, HistogramName, Metric } from './catalogue.js';

/** The values of a metric's labels, by name. */
export type Labels = Readonly<Record<string, string>>;

/** Keeps, or passes on, what is measured. */
export interface Meter {
  add(counter: CounterName, labels: Labels, by: number): void;
  /** @param seconds Not less than 0. */
  record(histogram: HistogramName, labels: Labels, seconds: number): void;
}

/** The value of a gauge at the moment. */
export interface Reading {
  readonly metric: Metric;
  readonly labels: Labels;
  readonly value: number;
}
