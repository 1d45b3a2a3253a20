import type { RunningJobs } from './history.js';
import type { WakeUp } from './wake-up.js';

/** A worker's session with the server, or what stands in for one. */
export interface Anchor {
  /** The worker's id, for its runs' records. */
  readonly workerId: string;

  /** The proof to others that the worker is alive: the lock of its session, or a time that it renews in its row. */
  readonly proof: 'session' | 'heartbeat';

  /** Whether wake-ups are pushed to this session. If not, wake-ups are polled. */
  readonly pushed: boolean;

  /**
   * Yields whenever a look for work is worthwhile. Yields once subscribed, at each notification, after each
   * reconnection, and at the latest after `everyMs`, then as a poll. Ends when `signal` aborts.
   */
  wakeUps(options: WakeUpOptions): AsyncIterable<WakeUp>;

  /** Shows others how far the worker's sweeps have come. */
  report(lines: WorkerLines): Promise<void>;

  /** Ends the session. Its worker then counts as dead for every other session. */
  release(): Promise<void>;
}

/** Receives the loss and the return of the session or heartbeat, so that no lease is kept without it. */
export interface SessionListener {
  /** The session ended `agoMs` milliseconds ago (default 0), and is being opened again. */
  lost(agoMs?: number): void;
  /** The session is open again, under the same id. */
  back(): void;
}

export interface WakeUpOptions {
  readonly queues: readonly string[];
  readonly everyMs: number;
  /** Whether it may not rest for seconds: a process with leases may end, and a capture's trigger wakes nobody. Default: true. */
  readonly looksOften?: boolean;
  readonly signal: AbortSignal;
}

export interface WorkerInfo {
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  /** The queues that it serves. */
  readonly queues: readonly string[];
  /** The schedules that its program declares. Default: none. */
  readonly schedules?: readonly string[];
  /** The kinds that it serves in these queues, each with the kinds of its `after`. Default: none. */
  readonly kinds?: KindsServed;
  /** How many runs at once. Null: its version of Rowlock does not say it. Default: null. */
  readonly concurrency?: number | null;
  /** The version of its program. Null: it names none. Default: null. */
  readonly version?: string | null;
  /**
   * The resident memory of its process in bytes, as of its last report: it reports every 2 s while it has jobs. Null: its
   * version of Rowlock does not say it. Default: null.
   */
  readonly memory?: number | null;
}

/** Kinds, each with those whose earlier jobs of a key go first. */
export interface KindsServed {
  readonly [kind: string]: readonly string[];
}

export interface WorkerView extends Required<WorkerInfo> {
  /** What it has reported last of its runs. */
  readonly running: readonly RunningJobs[];
  readonly id: string;
  readonly alive: boolean;
  readonly startedAt: Date;
  readonly lines: WorkerLines;
}

/** The public id of the job that a worker's newest sweep has come to, by queue. Null when the worker is idle there. */
export type WorkerLines = Readonly<Record<string, string | null>>;
