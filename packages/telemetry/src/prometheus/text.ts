/** Prometheus's text format, 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/ */

import { BOUNDS, METRICS, type Metric } from '../metrics/catalogue.js';
import type { Labels, Reading } from '../metrics/meter.js';
import { prometheusName } from './name.js';
import type { Distribution, Totals } from './totals.js';

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** All metrics, those without a value too. */
export function textOf(totals: Totals, readings: readonly Reading[]): string {
  return METRICS.map((metric) => {
    const name = prometheusName(metric);
    const head = [`# HELP ${name} ${metric.help}`, `# TYPE ${name} ${metric.type}`];
    return [...head, ...samplesOf(metric, totals, readings)].map((line) => `${line}\n`).join('');
  }).join('');
}

function samplesOf(metric: Metric, totals: Totals, readings: readonly Reading[]): readonly string[] {
  const name = prometheusName(metric);
  switch (metric.type) {
    case 'counter':
      return totals.totals(metric).map(({ labels, value }) => sample(name, labels, value));
    case 'histogram':
      return totals.distributions(metric).flatMap((each) => bucketsOf(name, each));
    case 'gauge':
      return readings
        .filter((reading) => reading.metric === metric)
        .map(({ labels, value }) => sample(name, labels, value));
  }
}

/** A bucket of the format has what the buckets before it have, too. */
function bucketsOf(name: string, { labels, buckets, sum }: Distribution): readonly string[] {
  let count = 0;
  const lines = buckets.map((values, place) => {
    count += values;
    const le = String(BOUNDS[place] ?? '+Inf');
    return sample(`${name}_bucket`, { ...labels, le }, count);
  });
  return [...lines, sample(`${name}_sum`, labels, sum), sample(`${name}_count`, labels, count)];
}

function sample(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
