// What the page gets, as JSON. Only types, as the page is built without Node's.
import type { JobView, Json } from '@rowlock/core';
import type {
  BegunRun,
  HoldingRun,
  LaneStats,
  LatestRuns,
  Listed,
  ManyChanged,
  PauseView,
  PicturedJob,
  RunView,
  WorkerView,
} from '@rowlock/core/types';
import type { ShownExplanation } from './calls.js';
import type { Permission } from './permission.js';
import type { Scope } from './scope.js';

/** Who looks, and what the page may offer. */
export interface SessionView extends Scope {
  readonly name: string;
  readonly can: readonly Permission[];
  /** Whether payloads and the like are not what the database has. */
  readonly redacted: boolean;
}

/** The queues and kinds, the workers and the pauses, as of one look. */
export interface OverviewView {
  readonly at: Date;
  readonly lanes: readonly LaneView[];
  readonly workers: readonly WorkerView[];
  readonly pauses: readonly PauseView[];
}

export interface LaneView extends LaneStats {
  readonly history: LaneHistory;
}

/** The numbers of the last looks, oldest first. */
export interface LaneHistory {
  readonly due: readonly number[];
  /** Jobs settled in a minute. */
  readonly settled: readonly number[];
}

/** Something that may explain a change of the numbers. */
export interface EventView {
  readonly at: Date;
  readonly text: string;
}

/** A tick of a schedule that had a job. */
export interface TickView {
  readonly job: string;
  readonly status: JobView['status'];
  readonly scheduledFor: Date;
  /** How long after its time it came, in milliseconds. */
  readonly lateMs: number;
}

/** A job in a list: without what may be long. */
export type JobRow = Omit<JobView, 'payload' | 'output' | 'metadata'>;

export interface JobsView extends Omit<Listed, 'jobs'> {
  readonly jobs: readonly JobRow[];
}

/** Where a job's trace and its lines of the log are. Null where nobody knows. */
export interface JobLinks {
  readonly trace: string | null;
  readonly log: string | null;
}

/** A kind of which this program has the handler, with the JSON Schema of its payload, where its validator gives one. */
export interface KindView {
  readonly kind: string;
  readonly queue: string;
  readonly schema: Json | null;
}

/** A job, its runs, and why it does not run. */
export interface JobPageView {
  readonly job: JobView;
  readonly links: JobLinks;
  readonly runs: readonly RunView[];
  readonly explanation: ShownExplanation;
}

/** A run in a list: without what may be long. */
export type RunRow = Omit<BegunRun, 'progress'>;

export interface RunsView extends Omit<LatestRuns, 'runs'> {
  readonly runs: readonly RunRow[];
}

/** Failed jobs whose errors have one code and one pattern. */
export interface ErrorGroup extends ErrorRemark {
  /** What operators' remarks name. */
  readonly id: string;
  readonly kinds: readonly string[];
  readonly code: string;
  /** The message, with `…` for what differs: numbers, ids, addresses, what is in quotes. */
  readonly pattern: string;
  /** That of the newest job. */
  readonly message: string;
  readonly jobs: number;
  /** When the oldest of the jobs that were read failed, and the newest. */
  readonly first: Date | null;
  readonly last: Date | null;
  /** How many failed in each part of the time in which all that were read failed, the earliest first. */
  readonly line: readonly number[];
  /** The filter that finds them, as in an address. Others of this code may have the same words. */
  readonly filter: string;
}

/** What operators have said of a group. */
export interface ErrorRemark {
  /** Null: nobody has muted it, or the time is over. */
  readonly muted: { readonly by: string; readonly at: Date; readonly until: Date | null } | null;
  /** The newest note. */
  readonly note: { readonly by: string; readonly at: Date; readonly text: string } | null;
}

export interface ErrorsView {
  readonly groups: readonly ErrorGroup[];
  /** How many failed jobs were read, the newest ones, and whether there are more. */
  readonly read: number;
  readonly more: boolean;
}

/** A line of the answer. The last one has `done`, or the `problem` that has ended the work. */
export type ManyLine = Partial<ManyChanged> & { readonly done?: true; readonly problem?: string };

/** The front of a queue, in the order of the claim. */
export interface PictureView {
  readonly queue: string;
  readonly at: Date;
  readonly jobs: readonly PictureCell[];
  /** Whether the queue may have more jobs. */
  readonly more: boolean;
  readonly runs: readonly HoldingRun[];
  /** The live workers of the queue. `line`: the job to which the newest sweep has come. */
  readonly workers: readonly { readonly name: string; readonly line: string | null }[];
}

export interface PictureCell {
  readonly id: string;
  readonly kind: string;
  readonly key: string | null;
  readonly state: PicturedJob['state'];
  /** The job, or the limit, that it waits for. */
  readonly waitsFor?: string;
  readonly dueAt?: Date;
  /** The place of its run in `runs`. */
  readonly run?: number;
}
