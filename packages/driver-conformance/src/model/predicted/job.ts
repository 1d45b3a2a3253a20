import type { Json, State } from '@rowlock/core';
import { isSettled } from '@rowlock/core/driver';
import type { Wanted } from '../parts.js';

/** What can change of a job. */
export interface Row {
  readonly status: State;
  readonly attempt: number;
  readonly crashes: number;
  /** Whether its time has come. */
  readonly isAvailable: boolean;
  /** Whether a claim may find it: its time had come when it was written, or a survey has seen that it has. */
  readonly isDue: boolean;
  readonly run: string | null;
  readonly isLeaseOver: boolean;
  readonly output: string | null;
  readonly metadata: Json;
  readonly payload: Json;
  readonly error: string | null;
}

export interface ModelJob {
  readonly name: string;
  readonly place: number;
  readonly wanted: Wanted;
  /** As it is committed; null until then, and for good when it never is. */
  row: Row | null;
  readonly runs: ModelRun[];
}

export type CommittedJob = ModelJob & { row: Row };

/** The record of a run, as far as it concerns one job. */
export interface ModelRun {
  readonly run: string;
  readonly worker: Worker;
  outcome: string | null;
  progress: string | null;
}

export interface Worker {
  readonly name: string;
  alive: boolean;
}

export function inOrder(one: ModelJob, other: ModelJob): number {
  return one.wanted.priority - other.wanted.priority || one.place - other.place;
}

export function hasKey(
  { wanted }: ModelJob,
  row: Row | null,
  kind: string,
  key: string | undefined,
): boolean {
  const { unique } = wanted;
  if (row === null || unique === null || unique.key !== key || wanted.kind !== kind) return false;
  return unique.scope === 'ever' || !isSettled(row.status);
}

/** The parts of a job that never change. */
export function asWanted(name: string, { queue, kind, key, priority }: Wanted): object {
  return { job: name, queue, kind, key, priority };
}
