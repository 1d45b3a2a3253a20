import { checkOptions, DriverError, InvalidInputError } from '@rowlock/core';
import type {
  Admission,
  Audit,
  CallersTx,
  Claims,
  Driver,
  Expiry,
  Followers,
  History,
  Jobs,
  Joined,
  ScheduleStore,
  Schema,
  Workers,
} from '@rowlock/core/driver';
import { admissionOf, joinableAdmissionOf } from './admission/admission.js';
import { auditOf, joinableAuditOf } from './audit/audit.js';
import { claimsOf } from './claims/claims.js';
import { Database, type MemoryDatabase } from './engine/database.js';
import { executeOn } from './engine/execute.js';
import type { MemoryTransaction } from './engine/memory-transaction.js';
import { OpenTransaction } from './engine/open-transaction.js';
import { Process } from './engine/process.js';
import { RecordsTransaction } from './engine/records-transaction.js';
import { expiryOf } from './expiry/expiry.js';
import { followersOf } from './followers/followers.js';
import { historyOf } from './history/history.js';
import { jobsOf } from './jobs/jobs.js';
import { schedulesOf } from './schedules/schedules.js';
import { schemaOf } from './schema/schema.js';
import { joinableWorkersOf, workersOf } from './workers/workers.js';

export interface MemoryOptions {
  /** The database. Several drivers may share one, and each stands for a process. Default: an empty one. */
  readonly database?: MemoryDatabase;
  /** With `shared`, workers prove themselves alive by a heartbeat, as behind a pooler. With `own`, by their session. Default `own`. */
  readonly sessions?: 'own' | 'shared';
}

export interface MemoryDriver extends Driver<MemoryTransaction> {
  readonly database: MemoryDatabase;
  /** The number of open transactions and sessions. */
  readonly connections: number;
  /** Acts as a server that ends every connection: open transactions are rolled back, and sessions come back. */
  disconnect(): void;
  /** Acts as a process that dies: open transactions are rolled back, its workers are not alive, and it does nothing more. */
  kill(): void;
}

/**
 * Jobs in memory, with the row locks of a real database.
 *
 * @example
 * const driver = memory();
 *
 * @example
 * const database = memoryDatabase();
 * const [producer, worker] = [memory({ database }), memory({ database })];
 */
export function memory(options: MemoryOptions = {}): MemoryDriver {
  checkOptions('memory()', options, ['database', 'sessions'] satisfies (keyof MemoryOptions)[]);
  const { database = new Database(), sessions = 'own' } = options;
  if (!(database instanceof Database)) {
    throw new InvalidInputError('database must be one that memoryDatabase() made.');
  }
  if (sessions !== 'own' && sessions !== 'shared')
    throw new InvalidInputError(`sessions must be 'own' or 'shared', not ${JSON.stringify(sessions)}.`);
  return new Memory(database, new Process(database), sessions);
}

class Memory implements MemoryDriver {
  readonly name = 'memory';
  readonly pool = null;
  readonly schema: Schema;
  readonly jobs: Jobs;
  readonly claims: Claims<MemoryTransaction>;
  readonly workers: Workers;
  readonly admission: Admission;
  readonly followers: Followers;
  readonly expiry: Expiry;
  readonly history: History;
  readonly audit: Audit;
  readonly schedules: ScheduleStore;
  readonly #database: Database;
  readonly #process: Process;

  constructor(database: Database, process: Process, sessions: 'own' | 'shared') {
    const execute = executeOn(database, process);
    this.schema = schemaOf(database, process);
    this.jobs = jobsOf(execute);
    this.claims = claimsOf(database, process, execute);
    this.workers = workersOf(database, process, execute, sessions);
    this.admission = admissionOf(execute);
    this.followers = followersOf(execute);
    this.expiry = expiryOf(execute);
    this.history = historyOf(execute);
    this.audit = auditOf(execute);
    this.schedules = schedulesOf(execute);
    this.#database = database;
    this.#process = process;
  }

  get database(): MemoryDatabase {
    return this.#database;
  }

  get connections(): number {
    return this.#process.connections;
  }

  join(tx: CallersTx<MemoryTransaction>): Joined {
    if (!(tx instanceof RecordsTransaction) || tx.database !== this.#database) {
      throw new DriverError('InvalidInput', "tx must be a transaction of this driver's database.");
    }
    const execute = executeOn(this.#database, tx);
    return {
      jobs: jobsOf(execute),
      workers: joinableWorkersOf(execute),
      admission: joinableAdmissionOf(execute),
      history: historyOf(execute),
      audit: joinableAuditOf(execute),
      schedules: schedulesOf(execute),
    };
  }

  async transaction<Result>(work: (tx: MemoryTransaction) => Promise<Result>): Promise<Result> {
    const tx = this.#process.begin();
    const open = new OpenTransaction(this.#database, tx);
    try {
      const result = await work(open);
      await open.commit();
      return result;
    } finally {
      tx.rollbackNow();
    }
  }

  disconnect(): void {
    this.#process.disconnect();
  }

  kill(): void {
    this.#process.end(new Error('the process was killed.'));
  }

  async close(): Promise<void> {
    this.#process.end(new Error('the driver is closed.'));
  }
}
