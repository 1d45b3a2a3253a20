export function percentiles(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Of the rounds: the median, the least and the most. */
export function spread(values) {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

/** The ratios of each round. A round that either has not is left out. */
export function ratios(values, references) {
  return values.map((value, round) => value / references[round]).filter((value) => Number.isFinite(value));
}

/** Their median; null where there is none. */
export function ratio(values, references) {
  const all = ratios(values, references);
  return all.length === 0 ? null : median(all);
}
