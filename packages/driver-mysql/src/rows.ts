import type { JobView, Json, State } from '@rowlock/core';
import {
  expiresAtOf,
  type Job,
  type LimitSetting,
  limitsIn,
  type PauseView,
  type WorkerView,
} from '@rowlock/core/driver';
import { storedError } from '@rowlock/sql-drivers';

/**
 * A row as the statements select it. Ids and JSON are text, and times are milliseconds. No setting of the connection alters these.
 */
export interface JobRow {
  id: string;
  public_id: string;
  queue: string;
  kind: string;
  key: string | null;
  payload: string;
  priority: number;
  status: State;
  attempt: number;
  max_attempts: number;
  crashes: number;
  redrives: number;
  metadata: string;
  limits: string;
  created_at: string;
  waited_ms: string;
}

export interface JobViewRow extends Omit<JobRow, 'waited_ms'> {
  unique_key: string | null;
  available_at: string;
  output: string | null;
  error: string | null;
  process_id: string | null;
  worker: string | null;
  progress: string | null;
  created_by: string;
  started_at: string | null;
  started_by: string | null;
  finished_at: string | null;
  finished_by: string | null;
}

/** The job that `move` found. */
export interface MoveRow {
  status: State;
  crashes: number;
  redrives: number;
  /** Whether the job was redriven as often as given. */
  meant: 0 | 1 | '0' | '1';
}

export interface WorkerViewRow {
  id: string;
  name: string;
  host: string;
  pid: number;
  queues: string;
  schedules: string;
  kinds: string;
  concurrency: number | null;
  version: string | null;
  memory: string | null;
  alive: number;
  started_at: string;
  lines: string;
  running: string;
}

export interface LimitSettingRow {
  name: string;
  max: number | null;
  starts: number | null;
  per_ms: string | null;
  burst: number | null;
  set_at: string;
  set_by: string;
}

export interface PauseRow {
  scope: PauseView['scope'];
  name: string;
  ends_at: string | null;
  reason: string | null;
  paused_by: string;
  paused_at: string;
}

export function toJob(row: JobRow): Job {
  return {
    id: BigInt(row.id),
    publicId: row.public_id,
    queue: row.queue,
    kind: row.kind,
    key: row.key,
    payload: JSON.parse(row.payload),
    priority: row.priority,
    status: row.status,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    crashes: row.crashes,
    redrives: row.redrives,
    metadata: JSON.parse(row.metadata),
    limits: row.limits,
    createdAt: new Date(Number(row.created_at)),
    waitedMs: Number(row.waited_ms),
  };
}

export function toJobView(row: JobViewRow): JobView {
  const { id: _, waitedMs: __, ...job } = toJob({ ...row, waited_ms: '0' });
  return {
    ...job,
    limits: limitsIn(row.limits),
    uniqueKey: row.unique_key,
    availableAt: new Date(Number(row.available_at)),
    expiresAt: expiresAtOf(job),
    output: json<Json>(row.output),
    error: storedError(json<Json>(row.error)),
    runId: row.process_id,
    worker: row.worker,
    progress: json<Json>(row.progress),
    createdBy: row.created_by,
    startedAt: date(row.started_at),
    startedBy: row.started_by,
    finishedAt: date(row.finished_at),
    finishedBy: row.finished_by,
  };
}

export function toWorkerView(row: WorkerViewRow): WorkerView {
  return {
    id: row.id,
    name: row.name,
    host: row.host,
    pid: row.pid,
    queues: JSON.parse(row.queues),
    schedules: JSON.parse(row.schedules),
    kinds: JSON.parse(row.kinds),
    concurrency: row.concurrency,
    version: row.version,
    memory: row.memory === null ? null : Number(row.memory),
    alive: Number(row.alive) === 1,
    startedAt: new Date(Number(row.started_at)),
    lines: JSON.parse(row.lines),
    running: JSON.parse(row.running),
  };
}

export function toLimitSetting({ name, max, starts, per_ms, burst, ...set }: LimitSettingRow): LimitSetting {
  return {
    name,
    ...(max !== null && { max }),
    ...(starts !== null && burst !== null && { starts, perMs: Number(per_ms), burst }),
    setAt: new Date(Number(set.set_at)),
    setBy: set.set_by,
  };
}

export function toPauseView({ scope, name, reason, ...row }: PauseRow): PauseView {
  const until = row.ends_at === null ? null : new Date(Number(row.ends_at));
  return { scope, name, until, reason, by: row.paused_by, pausedAt: new Date(Number(row.paused_at)) };
}

function json<Value>(text: string | null): Value | null {
  return text === null ? null : JSON.parse(text);
}

function date(ms: string | null): Date | null {
  return ms === null ? null : new Date(Number(ms));
}
