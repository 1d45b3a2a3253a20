import type { Enqueued, State } from '@rowlock/core';
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
  type ClientEvent,
  type Driver,
  type FollowersLook,
  type Front,
  type FrontQuestion,
  type History,
  isOwnHandle,
  type JobCount,
  type JobFilter,
  type JobId,
  type JobIdPage,
  type JobPage,
  type JobUpdate,
  type Lanes,
  type LimitedJobs,
  type LimitedJobsBounds,
  type Moved,
  type NewJob,
  type NewPause,
  ownHandle,
  type Page,
  type PartsPage,
  type PartsStretch,
  type PauseMode,
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
  type Updated,
  type WakeUp,
  type WorkerInfo,
} from '@rowlock/core/driver';
import { type Connection, createPool, type Pool, type PoolConnection } from 'mysql2/promise';
import { MysqlCaptures } from './capture/capture-store.js';
import { MysqlClaimSession } from './claim/claim-session.js';
import { widenLimit } from './claim/new-slots.js';
import { checkCallersConnection } from './connection/callers-connection.js';
import { CallersTransaction } from './connection/callers-transaction.js';
import { ClaimConnections } from './connection/claim-connections.js';
import { connect } from './connection/connect.js';
import { endPool, type GiveUp, hook, onPool, takeConnection } from './connection/connection.js';
import { unrefIdleTimer } from './connection/idle-timer.js';
import { sharedPoolOf } from './connection/pool.js';
import { giveUp, type SessionControl, sessionControl } from './connection/session-control.js';
import { sharesSessions } from './connection/shared-sessions.js';
import { verifyRowLocks } from './connection/verify-row-locks.js';
import { poolWithoutTimeout } from './connection/without-timeout.js';
import { type Context, context } from './context.js';
import { historyOf } from './history/history.js';
import { type MysqlOptions, type Settings, settingsOf } from './options.js';
import { change, type MysqlTransaction, query } from './query.js';
import { endCrashed } from './run/crashed-runs.js';
import { noteRun } from './run/note-run.js';
import { reclaim } from './run/reclaim.js';
import { startRuns } from './run/run-starts.js';
import { schemaOf } from './schema/schema.js';
import { begunRuns } from './store/begun-runs.js';
import { admit } from './store/followers.js';
import { front } from './store/front.js';
import { inTransaction } from './store/in-transaction.js';
import { JoinedStore } from './store/joined-store.js';
import { limitedJobs, rateTimes, takenSlots } from './store/limited-jobs.js';
import { pruneSlots } from './store/prune-slots.js';
import { giveBackStarts, takeStarts } from './store/rates.js';
import { MysqlSchedules } from './store/schedules.js';
import { situation } from './store/situation.js';
import { backlog } from './store/statistics.js';
import { MysqlStore } from './store/store.js';
import { withBoundedWaits } from './store/wait-limit.js';
import { list } from './values/list.js';
import { MysqlAnchor } from './worker/anchor.js';
import { findRings } from './worker/bell.js';
import { CommitWatch } from './worker/commit-watch.js';
import { forgetWorkers } from './worker/forgotten-workers.js';
import { MysqlPulse } from './worker/pulse.js';
import { Ringer } from './worker/ringer.js';
import { dueQueues, limitedParts, survey } from './worker/survey.js';
import { refuseOtherWriters } from './worker/verify-server.js';
import { WorkerRow } from './worker/worker-row.js';

/**
 * Jobs on MySQL 8.0.26 and later, and MariaDB 10.10 and later.
 *
 * The driver has its own connections: a claim needs READ COMMITTED, and an application's pool may be set otherwise.
 *
 * @throws InvalidInputError
 *
 * @example
 * const driver = mysql({ uri: process.env.DATABASE_URL });
 */
export function mysql(options: MysqlOptions = {}): Driver<MysqlTransaction> {
  const settings = settingsOf(options);
  return new MysqlDriver(context(settings.schema, settings.answerMs), settings, openPool(settings));
}

/** How long an idle connection is kept, in milliseconds. */
const IDLE_MS = 10_000;

function openPool({ connecting, maxConnections, onConnect }: Settings): Pool {
  const pool = createPool({
    ...connecting,
    connectionLimit: maxConnections,
    // Each second the client closes the idle connections beyond `maxIdle`, even if they were idle only briefly. Without that bound the client
    // does not check `idleTimeout`. With a low bound a load of fifty at once would open forty connections a second.
    maxIdle: Math.max(1, maxConnections - 1),
    idleTimeout: IDLE_MS,
  });
  hook(pool, onConnect);
  unrefIdleTimer(pool);
  return pool;
}

class MysqlDriver extends MysqlStore implements Driver<MysqlTransaction> {
  readonly name = 'mysql';
  readonly pool: SharedPool<PoolConnection>;
  readonly schema: Schema;
  readonly history: History;
  override readonly schedules: ScheduleStore;
  readonly captures: CaptureStore<MysqlTransaction>;
  readonly #settings: Settings;
  readonly #pool: Pool;
  /** The pool, for short statements. */
  readonly #on: MysqlTransaction;
  /** For reads that may go through all jobs. */
  readonly #withoutTimeout: MysqlStore;
  readonly #claimConnections: ClaimConnections;
  readonly #control: SessionControl;
  /** For statements whose waits for locks are bounded. */
  readonly #bounded: Parameters<typeof withBoundedWaits>[0];
  readonly #ringer: Ringer;
  readonly #watch: CommitWatch;
  readonly #push: boolean;
  /** Whether a proxy lets clients share sessions. Undefined until a worker has found out. */
  #shared: boolean | undefined;
  #closing: Promise<void> | null = null;

  constructor(context: Context, settings: Settings, pool: Pool) {
    const { answerMs } = context;
    const control = sessionControl(onPool(pool, answerMs), () => this.#push && !this.#shared);
    const end: GiveUp = (client) => giveUp(control, client);
    const on = onPool(pool, answerMs, end);
    super(context, { on, outside: on }, (work, ms = answerMs) =>
      inTransaction(pool, { connectionMs: answerMs, answerMs: ms }, work),
    );
    const unbounded = poolWithoutTimeout(pool, answerMs);
    this.#settings = settings;
    this.#pool = pool;
    this.#on = on;
    this.#withoutTimeout = new MysqlStore(context, { on: unbounded, outside: unbounded });
    this.#claimConnections = new ClaimConnections(pool, context);
    this.#push = settings.push && settings.sessions !== 'shared';
    this.#control = control;
    this.#bounded = { pool, context, giveUp: end };
    this.#ringer = new Ringer(context, on, this.#push ? () => this.#connect() : null);
    this.#watch = new CommitWatch(
      (rings) => findRings(on, context.sql, rings),
      (wakeUps) => this.#ringer.interrupt(wakeUps),
    );
    this.pool = sharedPoolOf(pool);
    this.schema = schemaOf({
      context,
      settings,
      on,
      pool: this.pool,
      connect: () => this.#connect(),
      sharesSessions: () => this.#sharesSessions(),
    });
    this.history = historyOf(on, context.sql, this.inTransaction);
    this.schedules = new MysqlSchedules({
      sql: context.sql,
      on,
      inTransaction: this.inTransaction,
      wake: (wakeUps) => this.#ringer.ringBehind(wakeUps),
    });
    this.captures = new MysqlCaptures({
      context,
      on,
      inTransaction: this.inTransaction,
      connect: () => this.#connect(),
      wake: (wakeUps) => this.#ringer.ringBehind(wakeUps),
    });
  }

  join(tx: MysqlTransaction): Store {
    checkCallersConnection(tx);
    const outside = this.#on;
    if (isOwnHandle(tx)) return new JoinedStore(this.context, { on: tx, outside }, this.#watch);
    const on = new CallersTransaction(tx);
    return new JoinedStore(this.context, { on, outside }, this.#watch, on.harmless);
  }

  deferred(sender: Sender<MysqlTransaction>): MysqlTransaction {
    return ownHandle({
      execute: (sql, values) => sender.send((handle) => handle.execute(sql, values)),
      query: (sql, values) => sender.send((handle) => handle.query(sql, values)),
    });
  }

  claimSession(options: ClaimSessionOptions): ClaimSession<MysqlTransaction> {
    return new MysqlClaimSession(
      this.context,
      this.#claimConnections,
      this.#control,
      (limit) => widenLimit(this.#bounded, limit),
      options,
    );
  }

  override async enqueue(
    jobs: readonly NewJob[],
    wakeUps: readonly WakeUp[] = [],
    waitMs?: number,
  ): Promise<readonly Enqueued[]> {
    const outcomes = await (waitMs === undefined
      ? super.enqueue(jobs)
      : withBoundedWaits(this.#bounded, waitMs, (store) => store.enqueue(jobs)));
    if (outcomes.some(({ outcome }) => outcome === 'enqueued')) this.#ringer.ringBehind(wakeUps);
    return outcomes;
  }

  override async moveAll(
    event: ClientEvent,
    publicIds: readonly string[],
    waitMs?: number,
  ): Promise<readonly Moved[]> {
    return waitMs === undefined
      ? super.moveAll(event, publicIds)
      : withBoundedWaits(this.#bounded, waitMs, (store) => store.moveAll(event, publicIds));
  }

  override async update(publicId: string, change: JobUpdate, waitMs?: number): Promise<Updated> {
    return waitMs === undefined
      ? super.update(publicId, change)
      : withBoundedWaits(this.#bounded, waitMs, (store) => store.updateOne(publicId, change, true));
  }

  override async list(filter: JobFilter, page: Page): Promise<JobPage> {
    // An index finds single jobs.
    return filter.publicIds === undefined
      ? this.#withoutTimeout.list(filter, page)
      : super.list(filter, page);
  }

  override listIds(filter: JobFilter, page: Page): Promise<JobIdPage> {
    return this.#withoutTimeout.listIds(filter, page);
  }

  override count(filter: JobFilter, page: Page): Promise<JobCount> {
    return this.#withoutTimeout.count(filter, page);
  }

  override async pause(pause: NewPause, mode?: PauseMode): Promise<void> {
    await super.pause(pause, mode);
    // Beside a caller's transaction: under REPEATABLE READ it would lock the gaps, and others who pause would wait for its end.
    await change(this.#on, this.context.sql.endPauses);
  }

  override async notify(wakeUps: readonly WakeUp[]): Promise<void> {
    await this.#ringer.ring(wakeUps);
  }

  dueQueues(lanes: Lanes): Promise<readonly string[]> {
    return dueQueues(this.context.sql, this.#on, lanes);
  }

  admit(look: FollowersLook): Promise<Admitted> {
    return admit(this.context.sql, this.#on, this.inTransaction, look);
  }

  limitedParts(stretch: PartsStretch): Promise<PartsPage> {
    return limitedParts(this.context.sql, this.#on, stretch);
  }

  survey(lanes: Lanes): Promise<Survey> {
    return survey(this.context.sql, this.#on, this.inTransaction, lanes);
  }

  async states(publicIds: readonly string[]): Promise<ReadonlyMap<string, State>> {
    const { places, values } = list(publicIds);
    const rows = await query<{ public_id: string; status: State }>(
      this.#on,
      this.context.sql.states(places),
      values,
    );
    return new Map(rows.map(({ public_id, status }) => [public_id, status]));
  }

  backlog(most: number, inAll?: number): Promise<readonly Backlog[]> {
    return backlog(this.#on, this.context.sql, most, inAll);
  }

  begunRuns(question: BegunRunsQuestion): Promise<readonly BegunRun[]> {
    return begunRuns(this.#on, this.context, question);
  }

  situation(question: SituationQuestion): Promise<Situation | undefined> {
    return situation(this.#on, this.context, question);
  }

  limitedJobs(bounds: LimitedJobsBounds): Promise<LimitedJobs> {
    return limitedJobs(this.#on, this.context, bounds);
  }

  takenSlots(names?: readonly string[]): Promise<readonly TakenSlots[]> {
    return takenSlots(this.#bounded, this.#on, names);
  }

  rateTimes(names?: readonly string[]): Promise<readonly RateTime[]> {
    return rateTimes(this.#on, this.context, names);
  }

  front(question: FrontQuestion): Promise<Front> {
    return front(this.#on, this.context, question);
  }

  takeStarts(rates: readonly Rate[], take: string): Promise<readonly number[]> {
    return takeStarts(this.#on, this.context.sql, rates, take);
  }

  giveBackStarts(names: readonly string[], take: string): Promise<void> {
    return giveBackStarts(this.#on, this.context.sql, names, take);
  }

  reclaim(scope: ReclaimScope): Promise<Reclaimed> {
    return reclaim(this.context, this.#on, this.inTransaction, scope);
  }

  startRuns(runs: readonly RunStart[]): Receipt<RunsStarted> {
    return startRuns(this.#on, this.context.sql, runs);
  }

  endCrashed(runIds: readonly string[], jobs: readonly JobId[]): Promise<void> {
    return endCrashed(this.#on, this.context.sql, runIds, jobs);
  }

  noteRun(run: RunRef, note: RunNote): Promise<void> {
    return noteRun(this.#on, this.context.sql, run, note);
  }

  pruneSlots(beyond: string, ageMs: number): Promise<string | null> {
    return pruneSlots(this.#bounded, beyond, ageMs);
  }

  async anchor(worker: WorkerInfo, session?: SessionListener): Promise<Anchor> {
    const { context } = this;
    const pool = this.#on;
    const connect = (): Promise<Connection> => this.#connect();
    const isShared = await this.#sharesSessions();
    this.#shared = isShared;
    await forgetWorkers(pool, context);
    const row = await WorkerRow.add(pool, context.sql, worker);
    try {
      await this.#verifyRowLocks(context.sql.lockWorker, row.id);
      if (this.#settings.severalWriters === 'refuse') await refuseOtherWriters(pool, context.sql, row);
    } catch (error) {
      await row.end(pool);
      throw error;
    }
    if (isShared) return BeatingAnchor.open(new MysqlPulse(context, pool, connect, row), session);
    const anchor = await MysqlAnchor.open({ context, pool, connect, row, push: this.#push, session });
    this.#ringer.expectSleeper();
    return anchor;
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  /** Closes each part, even after the failure of another. @throws the first error */
  async #close(): Promise<void> {
    this.#watch.stop();
    const errors: unknown[] = [];
    // The ringer closes first: it writes its last ring through the pool.
    for (const close of [() => this.#ringer.close(), () => endPool(this.#pool, this.context.answerMs)])
      await close().catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }

  #verifyRowLocks(lock: (otherwise: string) => string, id: number): Promise<void> {
    return verifyRowLocks(() => this.#connect(), this.#on, { lock, id }, this.context.answerMs);
  }

  async #sharesSessions(): Promise<boolean> {
    const { sessions } = this.#settings;
    if (sessions !== 'auto') return sessions === 'shared';
    const { sql, answerMs } = this.context;
    return sharesSessions(
      () => takeConnection(this.#pool, answerMs),
      () => this.#connect(),
      sql,
    );
  }

  #connect(): Promise<Connection> {
    const { connecting, onConnect } = this.#settings;
    return connect(connecting, this.context.answerMs, onConnect);
  }
}
