import type { State } from '@rowlock/core';
import type { ModelJob, ModelRun, Row } from './job.js';

/** A transaction, of a claim or of an application. */
export class Transaction {
  /** What it has written. */
  readonly rows = new Map<ModelJob, Row>();
  readonly locked = new Set<ModelJob>();
  /** The jobs that were committed when it began. */
  readonly found: ReadonlySet<ModelJob>;
  readonly endings: (() => void)[] = [];
  /** The jobs that its owner was given, now or when it leased them, and how they were then. */
  readonly held = new Map<ModelJob, Row>();
  /** Those of them that it has settled. */
  readonly settled = new Set<ModelJob>();
  from: State = 'new';
  run: string | null = null;
  /** Crashes by job, as `startRuns` has counted them. */
  counted: ReadonlyMap<ModelJob, number> = new Map();
  hasSettled = false;
  /** What its handler has written, and what of it no undo takes back any more. */
  effects: string[] = [];
  readonly kept: string[] = [];
  /** The rows of jobs before its handler has updated them, which an undo brings back. */
  readonly before = new Map<ModelJob, Row>();
  /** The names of the limits of which it has a slot. */
  readonly slots: string[] = [];
  /** Whether it has set numbers of limits, or pauses. */
  hasSettings = false;

  constructor(found: readonly ModelJob[]) {
    this.found = new Set(found);
  }
  hasWritten = false;
  hasUndone = false;
}

/** The row as this transaction sees it, or whoever has none. */
export function seen(job: ModelJob, tx: Transaction | undefined): Row | null {
  return tx?.rows.get(job) ?? job.row;
}

/** The first of the jobs that it has which has a key. */
export function firstKeyed(tx: Transaction): ModelJob | undefined {
  return [...tx.held.keys()].find(({ wanted }) => wanted.key !== null);
}

/** The records of earlier runs of its jobs that have not ended. */
export function unfinished({ held, run }: Transaction): readonly ModelRun[] {
  const records = [...held.keys()].flatMap(({ runs }) => runs);
  return records.filter((record) => record.outcome === null && record.run !== run);
}

export function hasJobs(tx: Transaction | undefined): tx is Transaction {
  return tx !== undefined && tx.held.size > 0;
}

/** One of the jobs that it has. */
export function nthHeld({ held }: Transaction, nth: number): ModelJob | undefined {
  return [...held.keys()][nth % Math.max(1, held.size)];
}

/** Whether its commit would change nothing. */
export function isAsItWas({ hasSettled, rows, effects, kept }: Transaction): boolean {
  const isSame = [...rows].every(([job, row]) => row === job.row);
  return !hasSettled && isSame && effects.length === 0 && kept.length === 0;
}

/** Whether it may lock, or lease what it has: it has no lease's jobs, and nothing is written with it. */
export function canLock({ from, hasWritten }: Transaction): boolean {
  return from === 'new' && !hasWritten;
}
