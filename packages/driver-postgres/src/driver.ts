import { DriverError, type State } from '@rowlock/core';
import {
  type Admitted,
  type Anchor,
  type Backlog,
  BeatingAnchor,
  type BegunRun,
  type BegunRunsQuestion,
  type CaptureStore,
  type ClaimSession,
  type ClaimSessionOptions,
  type Driver,
  despiteDeadlocks,
  type FollowersLook,
  type FoundPart,
  type Front,
  type FrontQuestion,
  type History,
  type JobId,
  type Lanes,
  type LimitedJobs,
  type LimitedJobsBounds,
  ownHandle,
  type PartsPage,
  type PartsStretch,
  partsPage,
  type Rate,
  type RateTime,
  type Receipt,
  type Reclaimed,
  type ReclaimScope,
  type RunNote,
  type RunRef,
  type RunStart,
  type RunsStarted,
  type ScheduleStore,
  type Schema,
  type Sender,
  type SessionListener,
  type SharedPool,
  type Situation,
  type SituationQuestion,
  type Store,
  type Survey,
  type TakenSlots,
  type WakeUp,
  type WorkerInfo,
} from '@rowlock/core/driver';
import type pg from 'pg';
import { PostgresCaptures } from './capture/capture-store.js';
import type { ClaimParts } from './claim/claim-parts.js';
import { PostgresClaimSession } from './claim/claim-session.js';
import { CountedLimits } from './claim/counted-limits.js';
import { endPool, holdConnection, onPool, watch } from './connection/connection.js';
import { NamedStatements } from './connection/named-statements.js';
import { OutsidePool } from './connection/outside-pool.js';
import type { Batch } from './connection/pipeline/send-ahead.js';
import { sharedPoolOf } from './connection/pool.js';
import { type Server, serverOf } from './connection/server.js';
import { SessionSettings } from './connection/session-settings.js';
import { sharesSessions } from './connection/shared-sessions.js';
import { verifyRowLocks } from './connection/verify-row-locks.js';
import { poolWithoutTimeout, withoutTimeout } from './connection/without-timeout.js';
import { type Context, context } from './context.js';
import { historyOf } from './history/history.js';
import { type PostgresOptions, type SessionKind, type Settings, settingsOf } from './options.js';
import { type PostgresTransaction, query } from './query.js';
import { endCrashed } from './run/crashed-runs.js';
import { noteRun } from './run/note-run.js';
import { reclaim } from './run/reclaim.js';
import { RunStarts } from './run/run-starts.js';
import { WalFlush } from './run/wal-flush.js';
import { schemaOf } from './schema/schema.js';
import { begunRuns } from './store/begun-runs.js';
import { admit } from './store/followers.js';
import { front } from './store/front.js';
import { inTransaction, sendInTransaction } from './store/in-transaction.js';
import { JoinedStore } from './store/joined-store.js';
import { limitedJobs, rateTimes, takenSlots } from './store/limited-jobs.js';
import { pruneSlots } from './store/prune-slots.js';
import { RateStarts } from './store/rates.js';
import { PostgresSchedules } from './store/schedules.js';
import { situation } from './store/situation.js';
import { backlog } from './store/statistics.js';
import { PostgresStore, texts } from './store/store.js';
import { PostgresAnchor } from './worker/anchor.js';
import { PostgresPulse } from './worker/pulse.js';
import { dueQueues, survey } from './worker/survey.js';
import { WorkerRow } from './worker/worker-row.js';

/**
 * Jobs on Postgres 14 to 18.
 *
 * @throws InvalidInputError
 *
 * @example
 * const driver = postgres({ connectionString: process.env.DATABASE_URL });
 * const driver = postgres({ pool, schema: 'jobs' });
 */
export function postgres(options: PostgresOptions = {}): Driver<PostgresTransaction> {
  const settings = settingsOf(options);
  return new PostgresDriver(context(settings.schema, settings.answerMs), settings);
}

class PostgresDriver extends PostgresStore implements Driver<PostgresTransaction> {
  readonly name = 'postgres';
  readonly pool: SharedPool<pg.PoolClient>;
  readonly schema: Schema;
  readonly history: History;
  override readonly schedules: ScheduleStore;
  readonly captures: CaptureStore<PostgresTransaction>;
  readonly #pool: pg.Pool;
  readonly #ownsPool: boolean;
  readonly #sessions: SessionKind;
  /** The pool for the driver's own short statements. */
  readonly #short: PostgresTransaction;
  readonly #outside: OutsidePool;
  readonly #names: NamedStatements;
  readonly #settings: SessionSettings;
  readonly #starts: RunStarts;
  readonly #counted = new CountedLimits();
  readonly #rates: RateStarts;
  readonly #server: () => Promise<Server>;

  constructor(context: Context, { pool, ownsPool, sessions }: Settings) {
    watch(pool);
    const { sql, answerMs } = context;
    const findOut = async (): Promise<boolean> => !(await this.#sharesSessions());
    // An application may run anything on its own connections, as DISCARD ALL, so nothing is prepared there.
    const names = new NamedStatements(sql, ownsPool && (sessions === 'auto' ? findOut : sessions === 'own'));
    const settings = new SessionSettings(names);
    const short = onPool(pool, answerMs, settings);
    super(context, short, poolWithoutTimeout(pool, { settings, answerMs }));
    this.pool = sharedPoolOf(pool, !ownsPool);
    this.#pool = pool;
    this.#ownsPool = ownsPool;
    this.#outside = new OutsidePool(pool);
    this.#sessions = sessions;
    this.#short = short;
    this.#names = names;
    this.#settings = settings;
    const flush = new WalFlush(short, sql.flush, () => names.nameOf(sql.flush, 1));
    this.#starts = new RunStarts(short, sql, names, flush);
    this.#rates = new RateStarts(short, sql, names);
    this.#server = serverOf(short);
    this.schema = schemaOf({
      context,
      on: short,
      outside: this.#outside,
      pool: this.pool,
      server: this.#server,
      sharesSessions: () => this.#sharesSessions(),
      withoutTimeout: (work) => this.#withoutTimeout(work),
    });
    this.history = historyOf(short, sql);
    this.schedules = new PostgresSchedules(context, short, (work) =>
      this.#withoutTimeout((client) => inTransaction(client, context, work)),
    );
    this.captures = new PostgresCaptures(context, short, (work) =>
      this.#withoutTimeout((client) => inTransaction(client, context, (_, on) => work(on))),
    );
  }

  join(tx: PostgresTransaction): Store {
    if (typeof Object(tx).query !== 'function' || 'totalCount' in Object(tx))
      throw new DriverError(
        'InvalidInput',
        "'tx' must be a client with an open transaction: of a pool, what its connect() gives.",
      );
    return new JoinedStore(this.context, tx);
  }

  deferred(sender: Sender<PostgresTransaction>): PostgresTransaction {
    return ownHandle({ query: (text, values) => sender.send((handle) => handle.query(text, values)) });
  }

  claimSession({ idleLimitMs }: ClaimSessionOptions): ClaimSession<PostgresTransaction> {
    const { context } = this;
    const [names, settings, pool, counted] = [this.#names, this.#settings, this.#short, this.#counted];
    const parts = async (): Promise<ClaimParts> => {
      const server = await this.#server();
      return { context, names, settings, pool, server, counted, limitMs: idleLimitMs };
    };
    return new PostgresClaimSession({
      connect: (isSettlement) => holdConnection(this.#pool, context.answerMs, isSettlement),
      letGo: () => this.pool.letGo(),
      parts,
    });
  }

  override async notify(wakeUps: readonly WakeUp[]): Promise<void> {
    const { sql, channel } = this.context;
    await this.#names.query(this.#short, sql.notifySoon, [channel, texts(wakeUps)]);
  }

  dueQueues(lanes: Lanes): Promise<readonly string[]> {
    return dueQueues(this.#short, this.context.sql, this.#names, lanes);
  }

  survey(lanes: Lanes): Promise<Survey> {
    return survey(this.#short, this.context.sql, this.#names, lanes);
  }

  admit(look: FollowersLook): Promise<Admitted> {
    return despiteDeadlocks(() => admit(this.#short, this.context.sql, look));
  }

  async limitedParts(stretch: PartsStretch): Promise<PartsPage> {
    const { queues, beyond, limit } = stretch;
    const { limitedParts } = this.context.sql;
    const name = this.#names.nameOf(limitedParts, queues.length);
    const values = [queues, beyond, limit];
    return partsPage(
      await query<FoundPart & pg.QueryResultRow>(this.#short, limitedParts, values, name),
      stretch,
    );
  }

  async states(publicIds: readonly string[]): Promise<ReadonlyMap<string, State>> {
    const { states } = this.context.sql;
    const rows = await query<{ public_id: string; status: State }>(this.#short, states, [publicIds]);
    return new Map(rows.map(({ public_id, status }) => [public_id, status]));
  }

  backlog(most: number, inAll?: number): Promise<readonly Backlog[]> {
    return backlog(this.#short, this.context.sql, most, inAll);
  }

  begunRuns(question: BegunRunsQuestion): Promise<readonly BegunRun[]> {
    return begunRuns(this.#short, this.context, question);
  }

  situation(question: SituationQuestion): Promise<Situation | undefined> {
    return situation(this.#short, this.context, question);
  }

  limitedJobs(bounds: LimitedJobsBounds): Promise<LimitedJobs> {
    return limitedJobs(this.#short, this.context, bounds);
  }

  takenSlots(names?: readonly string[]): Promise<readonly TakenSlots[]> {
    return takenSlots(this.#short, this.context, names);
  }

  rateTimes(names?: readonly string[]): Promise<readonly RateTime[]> {
    return rateTimes(this.#short, this.context, names);
  }

  front(question: FrontQuestion): Promise<Front> {
    return front(this.#short, this.context, question);
  }

  takeStarts(rates: readonly Rate[], take: string): Promise<readonly number[]> {
    return this.#rates.take(rates, take);
  }

  giveBackStarts(names: readonly string[], take: string): Promise<void> {
    return this.#rates.giveBack(names, take);
  }

  reclaim(scope: ReclaimScope): Promise<Reclaimed> {
    return reclaim(this.context, this.#short, scope);
  }

  startRuns(runs: readonly RunStart[]): Receipt<RunsStarted> {
    return this.#starts.start(runs);
  }

  endCrashed(runIds: readonly string[], jobs: readonly JobId[]): Promise<void> {
    return endCrashed(this.#short, this.context.sql, runIds, jobs);
  }

  noteRun(run: RunRef, note: RunNote): Promise<void> {
    return noteRun(this.#short, this.context.sql, run, note);
  }

  pruneSlots(beyond: string, ageMs: number): Promise<string | null> {
    const { sql, schema } = this.context;
    return pruneSlots(this.#short, sql, schema, beyond, ageMs);
  }

  async anchor(worker: WorkerInfo, session?: SessionListener): Promise<Anchor> {
    const { sql, lockClass } = this.context;
    const isShared = this.#sessions === 'auto' ? await this.#sharesSessions() : this.#sessions === 'shared';
    if (this.#ownsPool) this.#names.know(!isShared);
    await query(this.#short, sql.forgetWorkers, [lockClass.unsigned]);
    await query(this.#short, sql.forgetRuns);
    const row = await WorkerRow.add(this.#short, sql, worker);
    await this.#verifyRowLocks(sql.lockWorker, row.id).catch(async (error: unknown) => {
      await row.end(this.#short);
      throw error;
    });
    if (!isShared) return PostgresAnchor.open(this.context, this.#short, this.#outside, row, session);
    return BeatingAnchor.open(new PostgresPulse(this.context, this.#short, this.#outside, row), session);
  }

  async close(): Promise<void> {
    await this.#names.rest();
    if (this.#ownsPool && !this.#pool.ending) await endPool(this.#pool, this.context.answerMs);
  }

  protected override async sendAll<Row extends pg.QueryResultRow>(batches: readonly Batch[]): Promise<Row[]> {
    const [first, ...others] = batches;
    const made = first?.() ?? [];
    const [only, ...more] = made;
    if (only === undefined) return [];
    const all = [() => made, ...others];
    return despiteDeadlocks(() =>
      others.length + more.length === 0
        ? this.#names.query<Row>(this.#short, only.text, only.values)
        : this.#withoutTimeout((client) => sendInTransaction<Row>(client, this.context, all)),
    );
  }

  protected override atomically<Result>(
    work: (store: PostgresStore) => Promise<Result>,
    waitMs?: number,
  ): Promise<Result> {
    return despiteDeadlocks(() =>
      this.#withoutTimeout((client) => inTransaction(client, this.context, work, waitMs)),
    );
  }

  #withoutTimeout<Answer>(work: (client: pg.PoolClient) => Promise<Answer>): Promise<Answer> {
    return withoutTimeout(this.#pool, { settings: this.#settings, answerMs: this.context.answerMs }, work);
  }

  #verifyRowLocks(lock: (otherwise: string) => string, id: number): Promise<void> {
    return verifyRowLocks(this.#outside, this.#short, { lock, id }, this.context.answerMs);
  }

  #sharesSessions(): Promise<boolean> {
    return sharesSessions(this.#pool, this.#outside, this.context.sql);
  }
}
