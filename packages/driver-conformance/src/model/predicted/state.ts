import type { PauseTarget } from '@rowlock/core/driver';
import type { Actor, Caller, Setting } from '../parts.js';
import type { CommittedJob, ModelJob, ModelRun, Row, Worker } from './job.js';
import { Transaction } from './transaction.js';

export interface ModelLease {
  readonly run: string;
  readonly jobs: ReadonlyMap<ModelJob, Row>;
  readonly counted: ReadonlyMap<ModelJob, number>;
}

/** A slot that a lease has, beyond its transaction. */
export interface ModelMark {
  readonly run: string;
  readonly name: string;
}

export interface ModelPause {
  readonly target: PauseTarget;
  readonly until: 'for ever' | 'tomorrow';
}

/** The generic cell rate algorithm in whole hours: no sequence lasts so long that the database's clock says another one. */
export interface ModelRate {
  /** In how many hours the next start would be, if all starts were evenly spaced. */
  next: number;
  /** That before the last take, until it is given back. */
  before: number;
  last: number | null;
}

/** All that the model knows: what is committed, and who has a transaction or a session open. */
export class ModelState {
  readonly jobs: ModelJob[] = [];
  readonly leases: ModelLease[] = [];
  readonly workers: Worker[] = [];
  readonly effects: string[] = [];
  readonly transactions = new Map<Actor | Caller, Transaction>();
  readonly sessions = new Map<Actor, Worker>();
  /** How many there have been. */
  runs = 0;
  marks: readonly ModelMark[] = [];
  /** The numbers of limits that are set. */
  readonly settings = new Map<string, Setting>();
  /** By scope and name. */
  readonly pauses = new Map<string, ModelPause>();
  readonly rates = new Map<string, ModelRate>();
  /** How many takes of starts there have been. */
  takes = 0;

  open(by: Actor | Caller): Transaction {
    const tx = this.transactions.get(by) ?? new Transaction(this.allCommitted());
    this.transactions.set(by, tx);
    return tx;
  }

  /** Its locks go with it. */
  end(by: Actor | Caller, how: 'commit' | 'rollback'): void {
    const tx = this.transactions.get(by);
    if (tx === undefined) return;
    this.transactions.delete(by);
    if (how === 'rollback') return;
    for (const [job, row] of tx.rows) job.row = row;
    for (const end of tx.endings) end();
    this.effects.push(...tx.kept, ...tx.effects);
  }

  /** Whether no transaction has locked the job, but perhaps this one. */
  isFree(job: ModelJob, tx?: Transaction): boolean {
    return [...this.transactions.values()].every((each) => each === tx || !each.locked.has(job));
  }

  newRun(): string {
    return `run ${this.runs++}`;
  }

  records(run: string | null): readonly ModelRun[] {
    return this.jobs.flatMap(({ runs }) => runs).filter((record) => record.run === run);
  }

  committed(place: number): CommittedJob | undefined {
    const job = this.jobs[place];
    return job !== undefined && isCommitted(job) ? job : undefined;
  }

  /** Whether it is committed, if one is meant. */
  isThere(place: number | null): boolean {
    return place === null || this.committed(place) !== undefined;
  }

  allCommitted(): readonly CommittedJob[] {
    return this.jobs.filter(isCommitted);
  }
}

function isCommitted(job: ModelJob): job is CommittedJob {
  return job.row !== null;
}
