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
  /** What a worker has received: its wake-ups and the cancellations of its runs. */
  | 'signals'
  /** Sizes of limits, and pauses. */
  | 'settings';

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
  // READ COMMITTED: the transaction has no snapshot before it.
  claim: { reads: ['jobs', 'settings'], writes: ['locks'] },
  /** The claim that `finish` makes behind its commit. */
  'claim next': { reads: ['jobs', 'settings'], writes: ['locks'] },
  /** A slot without a job. */
  enterLimits: { reads: ['settings'], writes: ['locks'] },
  leaveLimits: { reads: [], writes: ['locks'] },
  limitedParts: { reads: ['jobs', 'settings', 'signals'], writes: [] },
  // After it, or after the look at dependencies, a cancel of the jobs is listened for.
  lockSiblings: { reads: ['jobs', 'settings', 'signals'], writes: ['locks'] },
  // A plain read.
  firstOutstanding: { reads: ['jobs', 'signals'], writes: [] },
  survey: { reads: ['jobs', 'settings', 'signals'], writes: [] },
  /** A survey where jobs may become due. */
  'survey later': { reads: ['settings', 'signals'], writes: ['locks', 'jobs'] },
  // What it reads of the records is there since before the leases that it reads.
  reclaim: { reads: ['sessions', 'signals'], writes: ['locks', 'jobs'] },
  startRuns: { reads: ['signals'], writes: ['records'] },
  // Of the tables it reads nothing. With a disconnect nothing commutes.
  confirm: { reads: [], writes: [] },
  noteRun: { reads: [], writes: ['records'] },
  // Into a table that is read at the end alone.
  write: { reads: ['signals'], writes: [] },
  release: { reads: [], writes: ['locks', 'keys', 'jobs', 'records', 'signals'] },
  lease: { reads: [], writes: ['locks', 'jobs', 'signals'] },
  lockLeased: { reads: ['jobs', 'signals'], writes: ['locks'] },
  undo: { reads: ['signals'], writes: ['locks'] },
  // The savepoint that it gives up is this transaction's own affair.
  renew: { reads: ['signals'], writes: [] },
  settle: { reads: [], writes: ['locks', 'keys', 'records'] },
  /** A settlement and its commit, without the next claim. */
  finish: { reads: [], writes: ['locks', 'jobs', 'keys', 'records', 'signals'] },
  commit: { reads: [], writes: ['locks', 'jobs', 'keys', 'records', 'signals'] },
  rollback: { reads: ['signals'], writes: ['locks', 'keys', 'records'] },
  /** A rollback of a transaction that holds nothing. */
  close: { reads: ['signals'], writes: [] },
  enqueue: { reads: [], writes: ['locks', 'jobs', 'keys', 'ids'] },
  'enqueue and wake': { reads: [], writes: ['locks', 'jobs', 'keys', 'ids', 'signals'] },
  /** An enqueue in a caller's transaction. */
  'enqueue in tx': { reads: ['jobs', 'locks'], writes: ['keys', 'ids'] },
  // By a worker it is the end of a survey.
  move: { reads: ['signals'], writes: ['locks', 'jobs', 'keys'] },
  update: { reads: [], writes: ['locks', 'jobs'] },
  /** A look for jobs that wait for others. */
  admit: { reads: [], writes: ['locks', 'jobs', 'signals'] },
  setLimit: { reads: [], writes: ['settings', 'signals'] },
  pause: { reads: [], writes: ['settings', 'signals'] },
  resume: { reads: [], writes: ['settings', 'signals'] },
  notify: { reads: [], writes: ['signals'] },
  alarm: { reads: [], writes: ['signals'] },
  stop: { reads: [], writes: ['signals'] },
  /** Jobs become due. Nobody holds one that is not. */
  time: { reads: [], writes: ['locks', 'jobs'] },
  declareDead: { reads: [], writes: ['sessions'] },
  disconnect: { reads: [], writes: ['locks', 'jobs', 'keys', 'ids', 'records', 'signals'] },
} as const satisfies Record<string, Footprint>;

export type Step = keyof typeof FOOTPRINTS;

/** One actor's next step. */
export interface Move {
  /** The actor's letter. */
  readonly actor: string;
  readonly step: Step;
}

/** Whether one of the moves is this one. */
export function includes(moves: readonly Move[], { actor, step }: Move): boolean {
  return moves.some((move) => move.actor === actor && move.step === step);
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
