/** Due jobs of a queue that have the same limits. They are claimed apart from the queue's other jobs. */
export interface QueuePart {
  readonly queue: string;
  /** The text of their limits: see `limitsText`. */
  readonly limits: string;
}

/** Where a page of parts begins, and how long it is at most. */
export interface PartsStretch {
  /** In the order in which their parts are looked at. */
  readonly queues: readonly string[];
  /** The parts of the first queue are looked at behind this text of limits. '' is before all. */
  readonly beyond: string;
  /** How many parts are looked at. */
  readonly limit: number;
}

/** The parts of a page. */
export interface PartsPage {
  readonly parts: readonly QueuePart[];
  /** The last part that was looked at. Null if none is behind it. */
  readonly last: QueuePart | null;
}

/** A part as a driver has found it. */
export interface FoundPart extends QueuePart {
  /** Whether one of its limits is paused. */
  readonly paused: boolean;
}

/** The page of a look that has found these parts. */
export function partsPage(found: readonly FoundPart[], { limit }: Pick<PartsStretch, 'limit'>): PartsPage {
  const [last] = found.length < limit ? [] : found.slice(-1).map(partOf);
  return { parts: found.filter(({ paused }) => !paused).map(partOf), last: last ?? null };
}

function partOf({ queue, limits }: QueuePart): QueuePart {
  return { queue, limits };
}
