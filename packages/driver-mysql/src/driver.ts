import { InvalidInputError } from '@rowlock/core';
import type {
  Admission,
  Audit,
  CallersTx,
  CaptureStore,
  Claims,
  Driver,
  Expiry,
  Followers,
  History,
  Insight,
  Jobs,
  Joined,
  ScheduleStore,
  Schema,
  WakeUp,
  Workers,
} from '@rowlock/core/driver';
import { checkDatabase, isOwnHandle, ownHandle, type SharedPool } from '@rowlock/sql-drivers';
import {
  type Connection,
  createPool,
  type Pool,
  type PoolConnection,
  type PoolOptions,
} from 'mysql2/promise';
import { admissionOf, joinableAdmissionOf } from './admission/admission.js';
import { auditOf, joinableAuditOf } from './audit/audit.js';
import { MysqlCaptures } from './captures/capture-store.js';
import { claimsOf } from './claims/claims.js';
import { callersConnection } from './connection/callers-connection.js';
import { CallersTransaction } from './connection/callers-transaction.js';
import { ClaimConnections } from './connection/claim-connections.js';
import { connect as connectWith, onNew } from './connection/connect.js';
import { endPool, type GiveUp, hook, onPool, takeConnection } from './connection/connection.js';
import { unrefIdleTimer } from './connection/idle-timer.js';
import { sharedPoolOf } from './connection/pool.js';
import { giveUp, sessionControl } from './connection/session-control.js';
import { sharesSessions } from './connection/shared-sessions.js';
import { poolWithoutTimeout } from './connection/without-timeout.js';
import { type Context, context } from './context.js';
import { expiryOf } from './expiry/expiry.js';
import { followersOf } from './followers/followers.js';
import { historyOf } from './history/history.js';
import { insightOf } from './insight/insight.js';
import { type InTransaction, inTransaction } from './jobs/in-transaction.js';
import { jobsOf, joinedJobsOf } from './jobs/jobs.js';
import { type MysqlOptions, type Settings, settingsOf } from './options.js';
import type { MysqlTransaction } from './query.js';
import { MysqlJoinableSchedules, MysqlSchedules } from './schedules/schedules.js';
import { schemaOf } from './schema/schema.js';
import { findRings } from './workers/bell.js';
import { CommitWatch } from './workers/commit-watch.js';
import { Ringer } from './workers/ringer.js';
import { joinableWorkersOf, workersOf } from './workers/workers.js';

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
  const pool = create({
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

/** The client refuses only a `ssl` that it cannot use, by an error that may quote it. @throws InvalidInputError */
function create(options: PoolOptions): Pool {
  try {
    return createPool(options);
  } catch {
    throw new InvalidInputError(
      "`ssl` is not understood: it is an object, of which `{}` checks the server's certificate, or one of mysql2's profiles.",
    );
  }
}

class MysqlDriver implements Driver<MysqlTransaction> {
  readonly name = 'mysql';
  readonly pool: SharedPool<PoolConnection>;
  readonly schema: Schema;
  readonly jobs: Jobs;
  readonly claims: Claims<MysqlTransaction>;
  readonly workers: Workers;
  readonly admission: Admission;
  readonly followers: Followers;
  readonly expiry: Expiry;
  readonly history: History;
  readonly audit: Audit;
  readonly schedules: ScheduleStore;
  readonly captures: CaptureStore<MysqlTransaction>;
  readonly insight: Insight;
  readonly #context: Context;
  readonly #pool: Pool;
  /** The pool, for short statements. */
  readonly #on: MysqlTransaction;
  readonly #ringer: Ringer;
  readonly #watch: CommitWatch;
  readonly #inTransaction: InTransaction;
  #closing: Promise<void> | null = null;

  constructor(context: Context, settings: Settings, pool: Pool) {
    const { sql, answerMs } = context;
    const { connecting, onConnect, sessions } = settings;
    const push = settings.push && sessions !== 'shared';
    /** Whether a proxy lets clients share sessions. Undefined until a worker has found out. */
    let shared: boolean | undefined;
    const connect = (): Promise<Connection> => connectWith(connecting, answerMs, onConnect);
    const areShared = async (client: Connection): Promise<boolean> =>
      sessions === 'auto'
        ? sharesSessions(client, () => takeConnection(pool, answerMs), sql.anchor)
        : sessions === 'shared';
    const control = sessionControl(onPool(pool, answerMs), () => push && !shared);
    const end: GiveUp = (client) => giveUp(control, client);
    const on = onPool(pool, answerMs, end);
    const inTransactions: InTransaction = (work, ms = answerMs) =>
      inTransaction(pool, { connectionMs: answerMs, answerMs: ms }, work);
    const bounded = { pool, context, giveUp: end };
    const ringer = new Ringer(context, on, push ? connect : null);
    const wake = (wakeUps: readonly WakeUp[]): void => ringer.ringBehind(wakeUps);
    const parts = { context, on, inTransaction: inTransactions, bounded, connect, ringer, wake };
    this.#context = context;
    this.#pool = pool;
    this.#on = on;
    this.#ringer = ringer;
    this.#inTransaction = inTransactions;
    this.#watch = new CommitWatch(
      (rings) => findRings(on, sql, rings),
      (wakeUps) => ringer.interrupt(wakeUps),
    );
    this.pool = sharedPoolOf(pool);
    this.schema = schemaOf({
      ...parts,
      settings,
      pool: this.pool,
      sharesSessions: () => onNew(connect, areShared),
    });
    this.jobs = jobsOf({ ...parts, withoutTimeout: poolWithoutTimeout(pool, answerMs) });
    this.claims = claimsOf({ ...parts, control, connections: new ClaimConnections(pool, context) });
    this.workers = workersOf({
      ...parts,
      push,
      refusesOtherWriters: settings.severalWriters === 'refuse',
      async sharesSessions(client) {
        shared = await areShared(client);
        return shared;
      },
    });
    this.admission = admissionOf(context, on, bounded, (wakeUps) => ringer.ring(wakeUps));
    this.followers = followersOf(on, sql, inTransactions);
    this.expiry = expiryOf(on, sql, inTransactions);
    this.history = historyOf(on, sql, inTransactions);
    this.audit = auditOf(on, sql);
    this.insight = insightOf(on, context);
    this.schedules = new MysqlSchedules({ ...parts, sql });
    this.captures = new MysqlCaptures(parts);
  }

  join(tx: CallersTx<MysqlTransaction>): Joined {
    checkDatabase(tx, 'mysql');
    const context = this.#context;
    const { on, ringer } = callersOf(callersConnection(tx));
    const workers = joinableWorkersOf(context, this.#watch, ringer);
    const notify = (wakeUps: readonly WakeUp[]): Promise<void> => workers.notify(wakeUps);
    const scope = { on, outside: this.#on };
    return {
      jobs: joinedJobsOf(context, scope, notify),
      workers,
      admission: joinableAdmissionOf(context, scope, notify),
      history: historyOf(on, context.sql, (work) => work(on)),
      audit: joinableAuditOf(on, context.sql),
      schedules: new MysqlJoinableSchedules(context.sql, scope),
    };
  }

  async transaction<Result>(work: (tx: MysqlTransaction) => Promise<Result>): Promise<Result> {
    let refusal: { readonly error: unknown } | undefined;
    try {
      return await this.#inTransaction((tx) => {
        const handle: MysqlTransaction = {
          execute: (text, values) => tx.execute(text, values),
          query: (text, values) => tx.query(text, values),
        };
        return work(ownHandle(handle)).catch((error: unknown) => {
          refusal = { error };
          throw error;
        });
      });
    } catch (error) {
      // The work may refuse, with an error that is not the database's.
      throw refusal === undefined ? error : refusal.error;
    }
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
    for (const close of [() => this.#ringer.close(), () => endPool(this.#pool, this.#context.answerMs)])
      await close().catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }
}

function callersOf(tx: MysqlTransaction): {
  on: MysqlTransaction;
  ringer: Pick<MysqlTransaction, 'execute'>;
} {
  if (isOwnHandle(tx)) return { on: tx, ringer: tx };
  const on = new CallersTransaction(tx);
  return { on, ringer: on.harmless };
}
