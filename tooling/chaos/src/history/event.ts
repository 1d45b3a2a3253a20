import type { Mode } from '../mode.js';

/**
 * One line of the history. Each process appends to a file of its own, and each line is written before what it announces
 * goes on. Jobs are named by the tag in their payload, which their producer knows before the database does.
 */
export type HistoryEvent = Happening & {
  /** Milliseconds of the machine's monotonic clock, which is one for all processes, whatever their wall clocks say. */
  readonly at: number;
  /** The process that wrote it: a worker's name, or `conductor`. */
  readonly by: string;
};

export type Happening = ProducerEvent | WorkerEvent | ConductorEvent;

type ProducerEvent =
  /** Before the first statement of an enqueue. */
  | {
      readonly what: 'intended';
      readonly job: string;
      readonly mode: Mode;
      readonly kind: string;
      readonly key: string | null;
      /** Attempts of a job that kills its worker each time; absent for all others. */
      readonly poison?: number;
      /** Whether it ends as an error because it says so. */
      readonly fails?: boolean;
    }
  /** Right before COMMIT is sent: whatever sees the job does so later. */
  | { readonly what: 'committing'; readonly job: string }
  | { readonly what: 'committed'; readonly job: string }
  /** It failed in a way that does not tell whether it was committed. The table will. */
  | { readonly what: 'doubted'; readonly job: string; readonly error: string };

/** Runs are named as `runName` does. */
type WorkerEvent =
  /** First line of the handler. `aborted`: its signal was aborted already. */
  | {
      readonly what: 'begin';
      readonly run: string;
      readonly mode: Mode;
      readonly kind: string;
      readonly key: string | null;
      readonly jobs: readonly string[];
      /** The names of the limits that it has slots of. Absent: none. */
      readonly limits?: readonly string[];
      readonly aborted: boolean;
    }
  /** A job with limits, or of a subject, was claimed. The claim was sent at `sentAt`. */
  | { readonly what: 'claimed'; readonly publicId: string; readonly sentAt: number }
  /** First line of the handler of a subject's job. */
  | { readonly what: 'entered'; readonly publicId: string; readonly queue: string; readonly kind: string }
  /** The server's number for the session that the run's transaction is in. */
  | { readonly what: 'backend'; readonly run: string; readonly session: number }
  /** The run met another run's claim on its entity, in the database. */
  | { readonly what: 'met'; readonly run: string; readonly key: string }
  /** An effect outside of the database: at least once. */
  | { readonly what: 'effect'; readonly run: string; readonly job: string }
  /** The handler's signal was aborted. */
  | { readonly what: 'aborted'; readonly run: string; readonly reason: string }
  /** Last line of the handler. */
  | { readonly what: 'end'; readonly run: string; readonly error?: string }
  /** The handler is about to kill its own process. */
  | { readonly what: 'dying'; readonly run: string }
  /** The worker says that the run's settlement is committed. Jobs are named by their public ids here. */
  | {
      readonly what: 'settled';
      readonly run: string;
      readonly endings: readonly (readonly [publicId: string, event: string])[];
    }
  | { readonly what: 'released'; readonly run: string }
  | { readonly what: 'lost'; readonly run: string; readonly error: string }
  | { readonly what: 'trouble'; readonly error: string };

type ConductorEvent =
  | {
      readonly what: 'hired';
      readonly worker: string;
      readonly mode: Mode;
      readonly pid: number;
      readonly isFrozen?: boolean;
    }
  /** Right before SIGKILL. */
  | { readonly what: 'killing'; readonly worker: string }
  | { readonly what: 'dead'; readonly worker: string }
  /** From here on workers end because they are to. */
  | { readonly what: 'stopping' }
  /** A fault that the worker cannot know of has it, or its connections, in its hand; `*` is every worker. */
  | { readonly what: 'impaired'; readonly id: number; readonly worker: string; readonly why: string }
  | { readonly what: 'relieved'; readonly id: number }
  /** The server was killed. */
  | { readonly what: 'down' }
  /** It takes connections again. */
  | { readonly what: 'accepting' }
  /** Right before a limit's size is changed. */
  | { readonly what: 'resizing'; readonly name: string; readonly max: number }
  | { readonly what: 'resized'; readonly name: string }
  /** It failed in a way that does not tell whether the size is changed. */
  | { readonly what: 'resize doubted'; readonly name: string; readonly error: string }
  /** Right before a subject's job is given a token in its metadata. */
  | { readonly what: 'updating'; readonly publicId: string; readonly token: string }
  /** Its answer: whether the update says that it is written. */
  | { readonly what: 'updated'; readonly token: string; readonly isWritten: boolean }
  /** Work is paused from here on. */
  | { readonly what: 'paused'; readonly work: PausedWork }
  /** Right before it is resumed. */
  | { readonly what: 'resuming'; readonly work: PausedWork }
  | { readonly what: 'resume doubted'; readonly work: PausedWork }
  /** The wall clock when the load of the subjects began, and when it ended. */
  | { readonly what: 'subjects'; readonly beganAtMs: number; readonly endedAtMs: number }
  /** When all jobs had been settled for a while, these slots of limits were not free. */
  | { readonly what: 'occupied'; readonly slots: readonly string[] }
  | { readonly what: 'strike'; readonly fault: string; readonly does: string };

/** `queue`, `kind` or `limit`, with its name. */
type PausedWork = Readonly<Record<string, string>>;
