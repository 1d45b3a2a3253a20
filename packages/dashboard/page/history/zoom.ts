/** A part of a time, in seconds since 1970, as the charts have it. */
export interface Zoom {
  readonly from: number;
  readonly until: number;
}

/** The later half. */
export function closer({ from, until }: Zoom): Zoom {
  return { from: (from + until) / 2, until };
}

/** Half of it earlier or later, within the whole. */
export function moved({ from, until }: Zoom, whole: Zoom, direction: -1 | 1): Zoom {
  const by = ((until - from) / 2) * direction;
  const within = Math.max(whole.from - from, Math.min(whole.until - until, by));
  return { from: from + within, until: until + within };
}

export function isIn({ from, until }: Zoom, time: string): boolean {
  const at = Date.parse(time) / 1_000;
  return at >= from && at <= until;
}
