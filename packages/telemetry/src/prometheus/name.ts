import type { Metric } from '../metrics/catalogue.js';

/** The name that OpenTelemetry's own translation to Prometheus gives it: one dashboard is for both. */
export function prometheusName({ type, name, unit }: Metric): string {
  const base = name.replaceAll('.', '_');
  if (type === 'counter') return `${base}_total`;
  return unit === 's' ? `${base}_seconds` : base;
}
