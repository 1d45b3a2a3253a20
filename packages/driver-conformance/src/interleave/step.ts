/** What a step may touch. Two steps that meet in none of it, but for reading, can change places. */
type Area =
  /** Row locks. */
  | 'locks'
  /** What is committed of the jobs. */
  | 'jobs'
  /** Unique keys, also of what is not yet committed: an insert waits for those. */
  | 'keys'
  /** The order of ids. */
  | 'ids'
  /** The runs' records. */
  | 'records'
  /** The workers' sessions. */
  | 'sessions'
  /** What a worker was told: its wake-ups and the cancellations of its runs. */
  | 'hearing';

interface Footprint {
  readonly reads: readonly Area[];
  readonly writes: readonly Area[];
}

/**
 * The steps of workers and producers: a driver's verbs, the handler's one write, a worker's alarm, and what happens to
 * connections. What an actor does of itself after a step, until the next, belongs to it. Too large a footprint costs time;
 * too small a one would leave orders out, so pairs that are said to commute are swapped by a test.
 */
const FOOTPRINTS = {
  // READ COMMITTED: the transaction has no snapshot yet.
  begin: { reads: [], writes: [] },
  claim: { reads: ['jobs'], writes: ['locks'] },
  // After it, or after the look at dependencies, a cancel of the jobs is listened for.
  lockSiblings: { reads: ['jobs', 'hearing'], writes: ['locks'] },
  // A plain read.
  firstOutstanding: { reads: ['jobs', 'hearing'], writes: [] },
  survey: { reads: ['jobs', 'hearing'], writes: [] },
  /** A survey where jobs may become due. */
  'survey later': { reads: ['hearing'], writes: ['locks', 'jobs'] },
  // What it reads of the records is there since before the leases that it reads.
  reclaim: { reads: ['sessions', 'hearing'], writes: ['locks', 'jobs'] },
  startRuns: { reads: ['hearing'], writes: ['records'] },
  noteRun: { reads: [], writes: ['records'] },
  // Into a table that is read at the end alone.
  write: { reads: ['hearing'], writes: [] },
  release: { reads: [], writes: ['locks', 'keys', 'jobs', 'records', 'hearing'] },
  lease: { reads: [], writes: ['locks', 'jobs', 'hearing'] },
  lockLeased: { reads: ['jobs', 'hearing'], writes: ['locks'] },
  undo: { reads: ['hearing'], writes: ['locks'] },
  // The savepoint that it gives up is this transaction's own affair.
  renew: { reads: ['hearing'], writes: [] },
  settle: { reads: [], writes: ['locks', 'keys', 'records'] },
  /** A settlement and its commit. */
  finish: { reads: [], writes: ['locks', 'jobs', 'keys', 'records', 'hearing'] },
  commit: { reads: [], writes: ['locks', 'jobs', 'keys', 'records', 'hearing'] },
  rollback: { reads: ['hearing'], writes: ['locks', 'keys', 'records'] },
  /** A rollback of a transaction that holds nothing. */
  close: { reads: ['hearing'], writes: [] },
  enqueue: { reads: [], writes: ['locks', 'jobs', 'keys', 'ids'] },
  'enqueue and wake': { reads: [], writes: ['locks', 'jobs', 'keys', 'ids', 'hearing'] },
  /** An enqueue in a caller's transaction. */
  'enqueue in tx': { reads: ['jobs', 'locks'], writes: ['keys', 'ids'] },
  // By a worker it is the end of a survey.
  move: { reads: ['hearing'], writes: ['locks', 'jobs', 'keys'] },
  notify: { reads: [], writes: ['hearing'] },
  alarm: { reads: [], writes: ['hearing'] },
  stop: { reads: [], writes: ['hearing'] },
  /** Jobs become due. Nobody holds one that is not. */
  time: { reads: [], writes: ['locks', 'jobs'] },
  bury: { reads: [], writes: ['sessions'] },
  disconnect: { reads: [], writes: ['locks', 'jobs', 'keys', 'ids', 'records', 'hearing'] },
} as const satisfies Record<string, Footprint>;

export type Step = keyof typeof FOOTPRINTS;

/** One actor's next step. */
export interface Move {
  /** The actor's letter. */
  readonly actor: string;
  readonly step: Step;
}

/** Whether two actors' steps lead to the same, whichever comes first. */
export function commute(one: Move, other: Move): boolean {
  if (one.actor === other.actor || one.step === 'disconnect' || other.step === 'disconnect') return false;
  return !meets(one.step, other.step) && !meets(other.step, one.step);
}

function meets(one: Step, other: Step): boolean {
  const { writes }: Footprint = FOOTPRINTS[one];
  const touched: Footprint = FOOTPRINTS[other];
  return writes.some((area) => touched.reads.includes(area) || touched.writes.includes(area));
}
