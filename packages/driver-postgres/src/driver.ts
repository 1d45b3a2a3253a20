import { DriverError } from '@rowlock/core';
import {
  type Admission,
  type Audit,
  type CallersTx,
  type CaptureStore,
  type Claims,
  type Driver,
  type Expiry,
  type Followers,
  type History,
  type Insight,
  type Jobs,
  type Joined,
  LIMITS,
  type ScheduleStore,
  type Schema,
  type Workers,
} from '@rowlock/core/driver';
import { checkDatabase, type SharedPool } from '@rowlock/sql-drivers';
import type pg from 'pg';
import { admissionOf, joinableAdmissionOf } from './admission/admission.js';
import { auditOf, joinableAuditOf } from './audit/audit.js';
import { PostgresCaptures } from './captures/capture-store.js';
import { claimsOf } from './claims/claims.js';
import { CallersTransaction } from './connection/callers-transaction.js';
import { endPool, holdConnection, onOne, onPool, watch } from './connection/connection.js';
import { NamedStatements } from './connection/named-statements.js';
import { OutsidePool } from './connection/outside-pool.js';
import { ownTransaction } from './connection/own-transaction.js';
import { sharedPoolOf } from './connection/pool.js';
import { serverOf } from './connection/server.js';
import { SessionSettings } from './connection/session-settings.js';
import { sharesSessions } from './connection/shared-sessions.js';
import { verifyClient } from './connection/verify-client.js';
import { poolWithoutTimeout, withoutTimeout } from './connection/without-timeout.js';
import { type Context, context } from './context.js';
import { expiryOf } from './expiry/expiry.js';
import { followersOf } from './followers/followers.js';
import { historyOf } from './history/history.js';
import { insightOf } from './insight/insight.js';
import { inTransaction } from './jobs/in-transaction.js';
import { jobsOf } from './jobs/jobs.js';
import { type Long, poolScope } from './jobs/pool-scope.js';
import { openScope, type Scope } from './jobs/scope.js';
import { type PostgresOptions, type Settings, settingsOf } from './options.js';
import type { PostgresTransaction } from './query.js';
import { PostgresJoinableSchedules, PostgresSchedules } from './schedules/schedules.js';
import { schemaOf } from './schema/schema.js';
import { joinableWorkersOf, workersOf } from './workers/workers.js';

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

class PostgresDriver implements Driver<PostgresTransaction> {
  readonly name = 'postgres';
  readonly pool: SharedPool<pg.PoolClient>;
  readonly schema: Schema;
  readonly jobs: Jobs;
  readonly claims: Claims<PostgresTransaction>;
  readonly workers: Workers;
  readonly admission: Admission;
  readonly followers: Followers;
  readonly expiry: Expiry;
  readonly history: History;
  readonly audit: Audit;
  readonly schedules: ScheduleStore;
  readonly captures: CaptureStore<PostgresTransaction>;
  readonly insight: Insight;
  readonly #context: Context;
  readonly #pool: pg.Pool;
  readonly #ownsPool: boolean;
  readonly #names: NamedStatements;
  readonly #long: Long;

  constructor(context: Context, { pool, ownsPool, sessions }: Settings) {
    watch(pool);
    const { sql, answerMs } = context;
    const outside = new OutsidePool(pool);
    const shares = (client: pg.Client): Promise<boolean> => sharesSessions(client, pool, sql.anchor);
    const compare = (): Promise<boolean> => outside.with(shares);
    const areShared = async (client: pg.Client): Promise<boolean> =>
      sessions === 'auto' ? shares(client) : sessions === 'shared';
    const findOut = async (): Promise<boolean> => !(await compare());
    // An application may run anything on its own connections, as DISCARD ALL, so nothing is prepared there.
    const names = new NamedStatements(sql, ownsPool && (sessions === 'auto' ? findOut : sessions === 'own'));
    const settings = new SessionSettings(names, sql.surveys.sizes);
    const on = onPool(pool, answerMs, settings);
    const server = serverOf(on);
    const parts = { context, on, outside, names, settings, server };
    const long: Long = (work) => withoutTimeout(pool, { settings, answerMs }, work);
    const inTransactions = <Result>(work: (scope: Scope) => Promise<Result>): Promise<Result> =>
      long((client) => inTransaction(client, context, work));
    this.pool = sharedPoolOf(pool, !ownsPool);
    this.#context = context;
    this.#pool = pool;
    this.#ownsPool = ownsPool;
    this.#names = names;
    this.#long = long;
    this.schema = schemaOf({
      ...parts,
      pool: this.pool,
      verifyClient: () => verifyClient(pool),
      sharesSessions: compare,
      together: (work) => onOne(pool, answerMs, work),
      withoutTimeout: long,
    });
    this.jobs = jobsOf(
      context,
      poolScope(context, {
        on,
        names,
        long,
        withoutTimeout: poolWithoutTimeout(pool, { settings, answerMs }),
      }),
    );
    this.claims = claimsOf({
      ...parts,
      connect: (isSettlement) => holdConnection(pool, answerMs, isSettlement),
      letGo: () => this.pool.letGo(),
    });
    this.workers = workersOf({ ...parts, ownsPool, sharesSessions: areShared });
    this.admission = admissionOf(context, on, names);
    this.followers = followersOf(on, sql);
    this.expiry = expiryOf(on, sql);
    this.history = historyOf(on, sql);
    this.audit = auditOf(on, sql);
    this.insight = insightOf(on, context);
    this.schedules = new PostgresSchedules(context, on, inTransactions);
    this.captures = new PostgresCaptures(context, on, (work, beginning) =>
      long((client) => inTransaction(client, context, (scope) => work(scope.on), undefined, beginning)),
    );
  }

  join(tx: CallersTx<PostgresTransaction>): Joined {
    if (typeof Object(tx).query !== 'function' || 'totalCount' in Object(tx))
      throw new DriverError(
        'InvalidInput',
        "'tx' must be a client with an open transaction: of a pool, what its connect() gives.",
      );
    checkDatabase(tx, 'postgres');
    const context = this.#context;
    const on = new CallersTransaction(tx);
    return {
      // One statement, where its length allows. A caller who does not await the call could commit between two.
      jobs: jobsOf(context, openScope(on, LIMITS.jobsPerCall)),
      workers: joinableWorkersOf(context, on),
      admission: joinableAdmissionOf(context, on),
      history: historyOf(on, context.sql),
      audit: joinableAuditOf(on, context.sql),
      schedules: new PostgresJoinableSchedules(context, on),
    };
  }

  transaction<Result>(work: (tx: PostgresTransaction) => Promise<Result>): Promise<Result> {
    return this.#long((client) => ownTransaction(client, this.#context.answerMs, work));
  }

  async close(): Promise<void> {
    await this.#names.rest();
    if (this.#ownsPool && !this.#pool.ending) await endPool(this.#pool, this.#context.answerMs);
  }
}
