/** The jobs of one kind in one queue. */
export interface Lane {
  readonly queue: string;
  readonly kind: string;
}

/** The jobs of a queue and kind that wait, by their rows. */
export interface Backlog extends Lane {
  /** Those whose time has come. Jobs that a held claim has count too. */
  readonly due: number;
  /** The due ones that a pause stops. */
  readonly paused: number;
  readonly delayed: number;
  /** Whether the queue may have more due jobs, or more delayed ones, than were counted. */
  readonly more: boolean;
  readonly moreDelayed: boolean;
  /** How long the due job whose time came first has been due, in milliseconds. */
  readonly oldestDueMs: number | null;
}
