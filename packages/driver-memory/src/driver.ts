import { DriverError, InvalidInputError, type State } from '@rowlock/core';
import {
  type Admitted,
  type Anchor,
  type Backlog,
  BeatingAnchor,
  type BegunRun,
  type BegunRunsQuestion,
  type ClaimSession,
  type ClaimSessionOptions,
  type Driver,
  type FollowersLook,
  type Front,
  type FrontQuestion,
  type History,
  type JobId,
  type Lanes,
  type LimitedJobs,
  type LimitedJobsBounds,
  type PartsPage,
  type PartsStretch,
  type Rate,
  type RateTime,
  type Receipt,
  type Reclaimed,
  type ReclaimScope,
  type RunNote,
  type RunRef,
  type RunStart,
  type RunsStarted,
  type Schema,
  type Sender,
  type SessionListener,
  type Situation,
  type SituationQuestion,
  type Store,
  type Survey,
  storableJson,
  type TakenSlots,
  type WorkerInfo,
} from '@rowlock/core/driver';
import { MemoryAnchor } from './anchor.js';
import { MemoryClaimSession } from './claim-session.js';
import { Database, type MemoryDatabase } from './database.js';
import { DeferredTransaction } from './deferred-transaction.js';
import { historyOf } from './history/history.js';
import type { MemoryTransaction } from './memory-transaction.js';
import { Process } from './process.js';
import { MemoryPulse } from './pulse.js';
import { RecordsTransaction } from './records-transaction.js';
import { schemaOf } from './schema/schema.js';
import * as statements from './statements.js';
import { MemoryStore } from './store.js';

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
export function memory({ database = new Database(), sessions = 'own' }: MemoryOptions = {}): MemoryDriver {
  if (!(database instanceof Database)) {
    throw new InvalidInputError('database must be one that memoryDatabase() made.');
  }
  if (sessions !== 'own' && sessions !== 'shared')
    throw new InvalidInputError(`sessions must be 'own' or 'shared', not ${JSON.stringify(sessions)}.`);
  return new Memory(database, new Process(database), sessions);
}

class Memory extends MemoryStore implements MemoryDriver {
  readonly name = 'memory';
  readonly pool = null;
  readonly schema: Schema;
  readonly history: History = historyOf((statement) => this.execute(statement));
  readonly #process: Process;
  readonly #sessions: 'own' | 'shared';

  constructor(database: Database, process: Process, sessions: 'own' | 'shared') {
    super(database, process);
    this.schema = schemaOf(database, process);
    this.#process = process;
    this.#sessions = sessions;
  }

  get database(): MemoryDatabase {
    return this.db;
  }

  get connections(): number {
    return this.#process.connections;
  }

  join(tx: MemoryTransaction): Store {
    if (!(tx instanceof RecordsTransaction) || tx.database !== this.db) {
      throw new DriverError('InvalidInput', "tx must be a transaction of this driver's database.");
    }
    return new MemoryStore(this.db, tx);
  }

  deferred(sender: Sender<MemoryTransaction>): MemoryTransaction {
    return new DeferredTransaction(this.db, sender);
  }

  claimSession({ idleLimitMs }: ClaimSessionOptions): ClaimSession<MemoryTransaction> {
    return new MemoryClaimSession(this.db, () => this.#process.begin(idleLimitMs));
  }

  dueQueues(lanes: Lanes): Promise<readonly string[]> {
    return this.execute((place) => statements.dueQueues(place, lanes));
  }

  survey(lanes: Lanes): Promise<Survey> {
    return this.execute((place) => statements.survey(place, lanes));
  }

  admit(look: FollowersLook): Promise<Admitted> {
    return this.execute((place) => statements.admit(place, look));
  }

  limitedParts(stretch: PartsStretch): Promise<PartsPage> {
    return this.execute((place) => statements.limitedParts(place, stretch));
  }

  states(publicIds: readonly string[]): Promise<ReadonlyMap<string, State>> {
    return this.execute((place) => statements.states(place, publicIds));
  }

  backlog(most: number, inAll?: number): Promise<readonly Backlog[]> {
    return this.execute((place) => statements.backlog(place, most, inAll));
  }

  begunRuns(question: BegunRunsQuestion): Promise<readonly BegunRun[]> {
    return this.execute((place) => statements.begunRuns(place, question));
  }

  situation(question: SituationQuestion): Promise<Situation | undefined> {
    return this.execute((place) => statements.situation(place, question));
  }

  limitedJobs(bounds: LimitedJobsBounds): Promise<LimitedJobs> {
    return this.execute((place) => statements.limitedJobs(place, bounds));
  }

  takenSlots(names?: readonly string[]): Promise<readonly TakenSlots[]> {
    return this.execute((place) => statements.takenSlots(place, names));
  }

  rateTimes(names?: readonly string[]): Promise<readonly RateTime[]> {
    return this.execute((place) => statements.rateTimes(place, names));
  }

  front(question: FrontQuestion): Promise<Front> {
    return this.execute((place) => statements.front(place, question));
  }

  takeStarts(rates: readonly Rate[], take: string): Promise<readonly number[]> {
    return this.execute((place) => statements.takeStarts(place, rates, take));
  }

  giveBackStarts(names: readonly string[], take: string): Promise<void> {
    return this.execute((place) => statements.giveBackStarts(place, names, take));
  }

  reclaim(scope: ReclaimScope): Promise<Reclaimed> {
    return this.execute((place) => statements.reclaim(place, scope));
  }

  /** Memory has no disk: a visible record counts as durable. */
  startRuns(runs: readonly RunStart[]): Receipt<RunsStarted> {
    const visible = this.execute((place) => statements.startRuns(place, runs));
    return { visible, durable: () => visible.then(() => {}) };
  }

  endCrashed(runIds: readonly string[], jobs: readonly JobId[]): Promise<void> {
    return this.execute((place) => statements.endCrashed(place, runIds, jobs));
  }

  noteRun(run: RunRef, { progress }: RunNote): Promise<void> {
    return this.execute((place) => statements.noteProgress(place, run, storableJson(progress)));
  }

  pruneSlots(beyond: string, ageMs: number): Promise<null> {
    return this.execute((place) => statements.pruneSlots(place, beyond, ageMs));
  }

  async anchor(worker: WorkerInfo, session?: SessionListener): Promise<Anchor> {
    await this.execute(statements.forgetWorkers);
    const row = await this.execute((place) => statements.addWorker(place, worker));
    if (this.#sessions === 'own') return MemoryAnchor.open(this.db, this.#process, row, session);
    return BeatingAnchor.open(new MemoryPulse(this.db, this.#process, row), session);
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
