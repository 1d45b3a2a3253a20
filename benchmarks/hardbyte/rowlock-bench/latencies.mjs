const SECONDS = 30;
/** Each bucket is 0.2 % wider than the one before: three figures. */
const WIDTH = Math.log(1.002);
const LEAST_MS = 0.1;
/** Beyond a day. */
const BUCKETS = 10_500;

/** The times of the last 30 seconds, in a memory that does not grow: a histogram for each second. */
export class Latencies {
  #seconds = Array.from({ length: SECONDS }, () => ({ second: -1, counts: new Uint32Array(BUCKETS) }));

  add(ms, now = Date.now()) {
    const second = Math.floor(now / 1000);
    const place = this.#seconds[second % SECONDS];
    if (place.second !== second) {
      place.second = second;
      place.counts.fill(0);
    }
    const bucket = Math.floor(Math.log(Math.max(ms, LEAST_MS) / LEAST_MS) / WIDTH);
    place.counts[Math.min(bucket, BUCKETS - 1)] += 1;
  }

  /** @returns milliseconds, by share; 0 where there was nothing */
  percentiles(shares, now = Date.now()) {
    const oldest = Math.floor(now / 1000) - SECONDS;
    const sum = new Uint32Array(BUCKETS);
    for (const { second, counts } of this.#seconds) {
      if (second > oldest) for (let bucket = 0; bucket < BUCKETS; bucket++) sum[bucket] += counts[bucket];
    }
    const all = sum.reduce((total, count) => total + count, 0);
    return shares.map((share) => at(sum, Math.ceil(all * share)));
  }
}

function at(counts, place) {
  if (place === 0) return 0;
  let seen = 0;
  const bucket = counts.findIndex((count) => {
    seen += count;
    return seen >= place;
  });
  return LEAST_MS * Math.exp((bucket + 0.5) * WIDTH);
}
