import {
  BOUNDS,
  COUNTERS,
  type CounterName,
  HISTOGRAMS,
  type HistogramName,
  type Metric,
} from '../metrics/catalogue.js';
import type { Labels, Meter } from '../metrics/meter.js';

export interface Total {
  readonly labels: Labels;
  value: number;
}

export interface Distribution {
  readonly labels: Labels;
  /** How many values are in each bucket: as many as there are bounds, and one for the values beyond the last bound. */
  readonly buckets: number[];
  sum: number;
}

/** Counts since the process began. */
export class Totals implements Meter {
  readonly #totals = new Map<Metric, Map<string, Total>>();
  readonly #distributions = new Map<Metric, Map<string, Distribution>>();

  add(counter: CounterName, labels: Labels, by: number): void {
    const of = found(this.#totals, COUNTERS[counter], () => new Map<string, Total>());
    found(of, JSON.stringify(labels), () => ({ labels, value: 0 })).value += by;
  }

  record(histogram: HistogramName, labels: Labels, seconds: number): void {
    const of = found(this.#distributions, HISTOGRAMS[histogram], () => new Map<string, Distribution>());
    const own = found(of, JSON.stringify(labels), () => ({
      labels,
      buckets: Array.from({ length: BOUNDS.length + 1 }, () => 0),
      sum: 0,
    }));
    const bucket = BOUNDS.findIndex((bound) => seconds <= bound);
    const place = bucket === -1 ? BOUNDS.length : bucket;
    own.buckets[place] = (own.buckets[place] ?? 0) + 1;
    own.sum += seconds;
  }

  totals(metric: Metric): readonly Total[] {
    return [...(this.#totals.get(metric)?.values() ?? [])];
  }

  distributions(metric: Metric): readonly Distribution[] {
    return [...(this.#distributions.get(metric)?.values() ?? [])];
  }
}

/** The value of a key, made at the first look. */
function found<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
