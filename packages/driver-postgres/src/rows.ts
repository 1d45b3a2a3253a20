import type { JobView, Json, State } from '@rowlock/core';
import {
  expiresAtOf,
  type Job,
  type KindsServed,
  type LimitSetting,
  limitsIn,
  type PauseView,
  type RunningJobs,
  type WorkerLines,
  type WorkerView,
} from '@rowlock/core/driver';
import { storedError } from '@rowlock/sql-drivers';
import { dateOf, dateOrNull } from './values/date.js';

/** A row of `query`: see `types` there. */
export interface JobRow {
  id: bigint;
  public_id: string;
  queue: string;
  kind: string;
  key: string | null;
  payload: Json;
  priority: number;
  status: State;
  attempt: number;
  max_attempts: number;
  crashes: number;
  redrives: number;
  metadata: { readonly [name: string]: Json };
  limits: string;
  created_at: number;
  waited_ms: bigint;
}

/** A job of a key that is locked. */
export interface SiblingRow extends JobRow {
  /** Whether its kind or its queue is paused. */
  paused: boolean;
}

export interface JobViewRow extends Omit<JobRow, 'waited_ms'> {
  unique_key: string | null;
  available_at: number;
  output: Json;
  error: Json;
  process_id: string | null;
  worker: string | null;
  progress: Json;
  created_by: string;
  started_at: number | null;
  started_by: string | null;
  finished_at: number | null;
  finished_by: string | null;
}

/** The state that `move` found. */
export interface MoveRow {
  public_id: string;
  status: State;
  redrives: number;
  /** Whether the job was redriven as often as given. */
  meant: boolean;
  free: boolean;
  moved: boolean;
}

export interface WorkerRow {
  id: number;
  name: string;
  host: string;
  pid: number;
  queues: readonly string[];
  schedules: readonly string[];
  kinds: KindsServed;
  concurrency: number | null;
  version: string | null;
  memory: number | null;
  alive: boolean;
  started_at: number;
  lines: WorkerLines;
  running: readonly RunningJobs[];
}

export interface LimitSettingRow extends Omit<LimitSetting, 'setAt' | 'setBy'> {
  set_at: number;
  set_by: string;
}

export interface PauseRow {
  scope: PauseView['scope'];
  name: string;
  until: number | null;
  reason: string | null;
  by: string;
  paused_at: number;
}

export function toJob(row: JobRow): Job {
  return {
    id: row.id,
    publicId: row.public_id,
    queue: row.queue,
    kind: row.kind,
    key: row.key,
    payload: row.payload,
    priority: row.priority,
    status: row.status,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    crashes: row.crashes,
    redrives: row.redrives,
    metadata: row.metadata,
    limits: row.limits,
    createdAt: new Date(row.created_at),
    waitedMs: Number(row.waited_ms),
  };
}

export function toJobView(row: JobViewRow): JobView {
  const { id: _, waitedMs: __, ...job } = toJob({ ...row, waited_ms: 0n });
  return {
    ...job,
    createdAt: dateOf(row.created_at),
    limits: limitsIn(row.limits),
    uniqueKey: row.unique_key,
    availableAt: dateOf(row.available_at),
    expiresAt: expiresAtOf(job),
    output: row.output,
    error: storedError(row.error),
    runId: row.process_id,
    worker: row.worker,
    progress: row.progress,
    createdBy: row.created_by,
    startedAt: dateOrNull(row.started_at),
    startedBy: row.started_by,
    finishedAt: dateOrNull(row.finished_at),
    finishedBy: row.finished_by,
  };
}

export function toWorkerView(row: WorkerRow): WorkerView {
  const { started_at, id, ...worker } = row;
  return { ...worker, id: String(id), startedAt: dateOf(started_at) };
}

export function toLimitSetting({ set_at, set_by, ...numbers }: LimitSettingRow): LimitSetting {
  return { ...numbers, setAt: dateOf(set_at), setBy: set_by };
}

export function toPauseView({ until, paused_at, ...pause }: PauseRow): PauseView {
  return { ...pause, until: dateOrNull(until), pausedAt: dateOf(paused_at) };
}
