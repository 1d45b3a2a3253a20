import type { JobStatus } from '../views.js';

/** The lock picture at one moment, as one user may see it. */
export interface Picture {
  /** In the order in which they are claimed, the oldest first. */
  readonly boxes: readonly Box[];
  /** Whether there are older requests than the first box. */
  readonly hasOlder: boolean;
  readonly workers: readonly WorkerMark[];
}

/** One request. */
export interface Box {
  /** The job's public id; for somebody else's request something that stands for it. */
  readonly id: string;
  readonly kind: 'create' | 'update';
  readonly status: JobStatus;
  /** What stands for the spreadsheet: the same for all its requests. */
  readonly entity: string;
  /** The spreadsheet, if it is the user's own. */
  readonly spreadsheet: { readonly id: string; readonly title: string } | null;
  /** What stands for the run that settled it, or that has it now. */
  readonly run: string | null;
  /** Who holds its lock now. */
  readonly worker: string | null;
  /** Attempts counted so far. */
  readonly attempt: number;
  /** Why it failed, if it is the user's own. */
  readonly problem: string | null;
}

/** A worker process and its line in the sand. */
export interface WorkerMark {
  readonly name: string;
  readonly pid: number;
  readonly alive: boolean;
  /** The last box that its sweep has looked at; `older` than all that are shown; null while it is at rest. */
  readonly line: { readonly box: string } | 'older' | null;
}
