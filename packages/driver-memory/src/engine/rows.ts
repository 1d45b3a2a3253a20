import type { JobView, State } from '@rowlock/core';
import {
  type AuditEntry,
  expiresAtOf,
  type Job,
  type LimitSetting,
  limitsIn,
  type NewPause,
  type ScheduleRow as Schedule,
  type Tally,
  type WorkerInfo,
  type WorkerView,
} from '@rowlock/core/driver';
import type { SettlingEvent } from '@rowlock/core/types';
import type { JobRow } from '../jobs/job-row.js';

/** The record of one run, as far as it concerns one job. JSON is text and times are milliseconds. */
export interface RunRow {
  readonly runId: string;
  readonly jobId: bigint;
  readonly workerId: string;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly outcome: SettlingEvent | 'reclaim' | null;
  readonly error: string | null;
  readonly progress: string;
}

export interface WorkerRow {
  readonly id: string;
  readonly info: Required<WorkerInfo>;
  readonly startedAt: number;
  readonly stoppedAt: number | null;
  /** The time until which its heartbeat proves it alive. Null when its session does. */
  readonly aliveUntil: number | null;
  /** The time until which it has the turn to prune. */
  readonly prunesUntil: number | null;
  readonly lines: string;
  readonly running: string;
}

/** A slot of a limit. It is taken while a transaction has its lock, or while a run has it by a lease. */
export interface LimitSlotRow {
  readonly name: string;
  readonly madeAt: number;
  readonly runId: string | null;
  readonly until: number;
}

/** The numbers of a limit that were set for all. */
export interface LimitSettingRow extends Omit<LimitSetting, 'setAt'> {
  readonly setAt: number;
}

/** A pause. Also one that has ended, until the next pause is set. */
export interface PauseRow extends Omit<NewPause, 'until'> {
  readonly until: number | null;
  readonly pausedAt: number;
}

/** The starts of a rate. Times are in microseconds. */
export interface RateRow {
  readonly name: string;
  /** When the next start would be, if all starts were evenly spaced. */
  readonly nextUs: number;
  /** The last take, until it is given back, and the time before it. */
  readonly lastTake: string | null;
  readonly beforeUs: number;
}

/** A schedule. Its plan is text. */
export interface ScheduleRow extends Omit<Schedule, 'plan'> {
  readonly plan: string;
}

/** What workers have settled in a minute. */
export interface TallyRow extends Tally {
  /** Its begin. */
  readonly minute: number;
}

/** A job that waits for another one. */
export interface FollowerRow {
  readonly publicId: string;
  readonly afterId: string;
  /** The job's own time. */
  readonly availableAt: number;
}

/** When a job is of no use any more. */
export interface ExpiryRow {
  readonly publicId: string;
  readonly expiresAt: number;
}

/** What an operator has done. Its details are text. */
export interface AuditRow extends Omit<AuditEntry, 'id' | 'at' | 'details'> {
  readonly id: bigint;
  readonly at: number;
  readonly details: string;
}

/** One of the application's own records. */
export interface RecordRow {
  readonly table: string;
  readonly key: string;
  readonly value: string;
}

/** A live worker's run of a job. */
export interface LiveRun {
  readonly runId: string;
  readonly worker: string | null;
  readonly startedAt: number;
}

/** @param now The time of the read. */
export function toJob(row: JobRow, now: number): Job {
  const {
    id,
    publicId,
    queue,
    kind,
    key,
    priority,
    status,
    attempt,
    maxAttempts,
    crashes,
    redrives,
    limits,
  } = row;
  return {
    id,
    publicId,
    queue,
    kind,
    key,
    payload: JSON.parse(row.payload),
    priority,
    status,
    attempt,
    maxAttempts,
    crashes,
    redrives,
    metadata: JSON.parse(row.metadata),
    limits,
    createdAt: new Date(row.createdAt),
    waitedMs: now - row.availableAt,
  };
}

/** @param live The run that makes the job in progress, though its row says `new`. */
export function toJobView(row: JobRow, live: LiveRun | undefined, progress: string): JobView {
  const { id: _, limits, waitedMs: __, ...job } = toJob(row, 0);
  const { uniqueKey, createdBy, startedBy, finishedBy } = row;
  const status: State = live === undefined ? row.status : 'in-progress';
  return {
    ...job,
    limits: limitsIn(limits),
    status,
    uniqueKey,
    availableAt: new Date(row.availableAt),
    expiresAt: expiresAtOf(job),
    output: JSON.parse(row.output),
    error: row.error === null ? null : JSON.parse(row.error),
    runId: live?.runId ?? row.runId,
    worker: live?.worker ?? null,
    progress: JSON.parse(progress),
    createdBy,
    startedAt: date(live?.startedAt ?? row.startedAt),
    startedBy,
    finishedAt: date(row.finishedAt),
    finishedBy,
  };
}

export function toSchedule({ plan, ...row }: ScheduleRow): Schedule {
  return { ...row, plan: JSON.parse(plan) };
}

export function toWorkerView(row: WorkerRow, alive: boolean): WorkerView {
  const { id, info, startedAt, lines, running } = row;
  const shown = { lines: JSON.parse(lines), running: JSON.parse(running) };
  return { ...info, ...shown, id, alive, startedAt: new Date(startedAt) };
}

function date(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
