import { DriverError, type JobView, type Json, type Operation } from '@rowlock/core';
import { isSettled, type MigrationReport, type WakeUp } from '@rowlock/core/driver';
import type { JobRow } from '../jobs/job-row.js';
import { list } from '../jobs/statements/selection.js';
import { type MemoryClock, memoryClock } from './clock.js';
import type { Contents, Tables } from './contents.js';
import type { MemoryTransaction, Records } from './memory-transaction.js';
import { OpenTransaction } from './open-transaction.js';
import { recordsOn } from './records.js';
import type {
  AuditRow,
  ExpiryRow,
  FollowerRow,
  LimitSettingRow,
  LimitSlotRow,
  PauseRow,
  RateRow,
  RecordRow,
  RunRow,
  ScheduleRow,
  TallyRow,
  WorkerRow,
} from './rows.js';
import { autocommit, type Runner } from './runner.js';
import { Table } from './table.js';
import { Transaction } from './transaction.js';

/** A database in this process's memory. Each of its own verbs over records commits by itself. */
export interface MemoryDatabase extends Records {
  readonly clock: MemoryClock;
  /** Opens a transaction, as an application does without a driver. */
  begin(): MemoryTransaction;
  /** Resolves when a job is committed as complete, error or cancelled, with the client's view of the job. */
  settled(publicId: string): Promise<JobView>;
}

/** Creates an empty database, which any number of drivers may share. Each driver stands for a process. */
export function memoryDatabase(): MemoryDatabase {
  return new Database();
}

function emptyTables(): Tables {
  return {
    jobs: new Table<JobRow>('job', ['id', 'publicId', 'queue', 'key', 'uniqueKey']),
    runs: new Table<RunRow>('run', ['jobId', 'runId']),
    workers: new Table<WorkerRow>('worker', ['id']),
    limitSlots: new Table<LimitSlotRow>('slot', ['name']),
    limitSettings: new Table<LimitSettingRow>('limit', ['name']),
    pauses: new Table<PauseRow>('pause', ['name']),
    rates: new Table<RateRow>('rate', ['name']),
    schedules: new Table<ScheduleRow>('schedule', ['name']),
    tallies: new Table<TallyRow>('tally', ['minute']),
    followers: new Table<FollowerRow>('follower', ['publicId', 'afterId']),
    expiries: new Table<ExpiryRow>('expiry', ['publicId']),
    audit: new Table<AuditRow>('audit', ['id']),
  };
}

/** The number of wake-ups that are kept for workers without a session. */
const KEPT = 1_000;

const MIGRATIONS = ['0001_jobs'];

/** A worker's open session. */
interface Session {
  receive(wakeUp: WakeUp): void;
}

export class Database implements MemoryDatabase, Contents {
  readonly clock = memoryClock(() => this.ring([{}]));
  readonly records = new Table<RecordRow>('record', ['table', 'key']);
  /** The open transactions. */
  readonly transactions = new Set<Transaction>();
  /** The last wake-ups, for workers without a session. `rung` is the number of all wake-ups so far. */
  readonly rings: WakeUp[] = [];
  rung = 0;
  readonly #sessions = new Map<string, Session>();
  readonly #changed = new Set<() => void>();
  readonly #alone: Runner = { run: (statement) => autocommit(this.beginTransaction(), statement) };
  readonly #own = recordsOn(this, this.#alone);
  #tables: Tables | undefined;
  #begun = 0;
  #processes = 0;

  get tables(): Tables {
    if (this.#tables !== undefined) return this.#tables;
    throw new DriverError('SchemaOutdated', "Rowlock's tables are missing: run rowlock.migrate().");
  }

  migrate(): MigrationReport {
    const to = MIGRATIONS.length;
    if (this.#tables !== undefined) return { from: to, to, applied: [] };
    this.#tables = emptyTables();
    return { from: 0, to, applied: MIGRATIONS };
  }

  async empty(tx: Transaction): Promise<void> {
    const { workers } = this.tables;
    for (const { row } of workers.find(tx, ({ stoppedAt }) => stoppedAt !== null)) {
      await tx.lock(row);
      tx.write(row, undefined);
    }
    this.#tables = { ...emptyTables(), workers };
  }

  begin(): MemoryTransaction {
    return new OpenTransaction(this, this.beginTransaction());
  }

  async settled(publicId: string): Promise<JobView> {
    for (;;) {
      const changed = new Promise<void>((resolve) => this.#changed.add(resolve));
      const { jobs } = await this.#alone.run((tx) =>
        list({ database: this, tx }, { publicIds: [publicId] }, { limit: 1, before: null }),
      );
      const job = jobs.find(({ status }) => isSettled(status));
      if (job !== undefined) return job;
      await changed;
    }
  }

  /** The name of one more process, for those of its transactions. */
  nameOfProcess(): string {
    return `process ${++this.#processes}`;
  }

  /**
   * @param onEnd Is called at any end of the transaction.
   * @param process The name of the process that begins it.
   */
  beginTransaction(
    idleLimitMs = Number.POSITIVE_INFINITY,
    onEnd: () => void = () => {},
    process?: string,
  ): Transaction {
    const name = `transaction ${++this.#begun}${process === undefined ? '' : ` of ${process}`}`;
    const tx = new Transaction(name, idleLimitMs, (changed) => {
      this.transactions.delete(tx);
      if (changed) this.#onChange();
      onEnd();
    });
    this.transactions.add(tx);
    return tx;
  }

  hasSession(workerId: string): boolean {
    return this.#sessions.has(workerId);
  }

  openSession(workerId: string, session: Session): void {
    this.#sessions.set(workerId, session);
  }

  closeSession(workerId: string): void {
    this.#sessions.delete(workerId);
  }

  ring(wakeUps: readonly WakeUp[]): void {
    this.rung += wakeUps.length;
    this.rings.push(...wakeUps);
    this.rings.splice(0, this.rings.length - KEPT);
    for (const session of this.#sessions.values()) {
      for (const wakeUp of wakeUps) session.receive(wakeUp);
    }
  }

  #onChange(): void {
    for (const look of this.#changed) look();
    this.#changed.clear();
  }

  get(table: string, key: string): Promise<Json | undefined> {
    return this.#own.get(table, key);
  }

  list(table: string): Promise<readonly Json[]> {
    return this.#own.list(table);
  }

  insert(table: string, key: string, value: Json): Promise<void> {
    return this.#own.insert(table, key, value);
  }

  set(table: string, key: string, value: Json): Promise<void> {
    return this.#own.set(table, key, value);
  }

  update(table: string, key: string, operations: readonly Operation[]): Promise<boolean> {
    return this.#own.update(table, key, operations);
  }

  remove(table: string, key: string): Promise<boolean> {
    return this.#own.remove(table, key);
  }
}
