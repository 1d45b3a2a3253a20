import { DriverError, isDriverError, type State } from '@rowlock/core';
import {
  type Anchor,
  BeatingAnchor,
  type BeginOptions,
  type Capabilities,
  type Driver,
  despiteDeadlocks,
  type Graves,
  type HeldTransaction,
  type HistoryEntry,
  type JobId,
  type Lanes,
  type MigrationReport,
  type Reclaimed,
  type RunNote,
  type RunRef,
  type RunStart,
  type RunStarted,
  type RunsTold,
  type SessionListener,
  type Store,
  type Stretch,
  type Survey,
  type Verified,
  type WakeUp,
  type WorkerInfo,
} from '@rowlock/core/driver';
import pg from 'pg';
import { PostgresAnchor } from './anchor.js';
import { type Context, context } from './context.js';
import { FlushSession } from './flush-session.js';
import { PostgresHeldTransaction } from './held-transaction.js';
import { askInTransaction, inTransaction } from './in-transaction.js';
import { migrate, outdated, SCHEMA_VERSION } from './migrations.js';
import { DEFAULTS, type PostgresOptions, type SessionKind, type Settings, settingsOf } from './options.js';
import { OwnSessions } from './own-sessions.js';
import { patiently, patientPool } from './patiently.js';
import { Prepared } from './prepared.js';
import { PostgresPulse } from './pulse.js';
import { type PostgresTransaction, query } from './query.js';
import { RunStarts } from './run-starts.js';
import { endPool, onPool, type Server, serverOf, takeConnection, watch } from './session.js';
import { sharesSessions } from './shared-sessions.js';
import { PostgresStore, type Question, texts } from './store.js';
import { verifySettings } from './verify-settings.js';
import { WalFlush } from './wal-flush.js';
import { WorkerRow } from './worker-row.js';

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

interface SurveyRow {
  promoted: bigint;
  next_due_ms: number | null;
  waiting: boolean;
  leased: boolean;
}

interface HistoryRow {
  id: bigint;
  queue: string;
  status: State;
  created_ms: number;
  settled_ms: number | null;
}

/** Beyond every id. */
const NO_ID = 2n ** 63n - 1n;

class PostgresDriver extends PostgresStore implements Driver<PostgresTransaction> {
  readonly name = 'postgres';
  readonly capabilities: Capabilities;
  readonly #pool: pg.Pool;
  readonly #ownsPool: boolean;
  /** For the driver's own short statements. */
  readonly #soon: PostgresTransaction;
  readonly #own: OwnSessions;
  readonly #starts: RunStarts;
  readonly #flushSession: FlushSession;
  #server: Server | null = null;
  #knowing: Promise<Server> | null = null;
  readonly #sessions: SessionKind;
  readonly #prepared: Prepared;

  constructor(context: Context, { pool, ownsPool, sessions }: Settings) {
    watch(pool);
    const own = new OwnSessions(context.sql);
    const soon = onPool(pool, context.answerMs, own);
    super(context, soon, patientPool(pool, { own, answerMs: context.answerMs }));
    this.#pool = pool;
    this.#ownsPool = ownsPool;
    this.#own = own;
    this.#soon = soon;
    const { sql } = context;
    const flush = new WalFlush(this.#soon, sql.flush, () => this.#own.nameOf(sql.flush, 1));
    this.#flushSession = new FlushSession(context, this.#newClient);
    this.#starts = new RunStarts(this.#soon, sql, this.#own, flush);
    this.#sessions = sessions;
    // What an application does with its own connections, DISCARD ALL for one, is its own affair.
    this.#prepared = new Prepared(
      ownsPool && (sessions === 'auto' ? async () => !(await this.#sharesSessions()) : sessions === 'own'),
    );
    this.capabilities = { maxConnections: pool.options.max, sharesPool: !ownsPool, chains: ownsPool };
  }

  async migrate(): Promise<MigrationReport> {
    return this.#patiently((client) => migrate(client, this.context));
  }

  async verify(): Promise<Verified> {
    const [row] = await query<{ version: number }>(this.#soon, this.context.sql.schemaVersion).catch(
      (error: unknown) => {
        if (isDriverError(error, 'SchemaOutdated')) return [];
        throw error;
      },
    );
    const found = row?.version ?? 0;
    if (found < SCHEMA_VERSION) throw outdated(found, this.context.schema);
    await verifySettings(this.#soon);
    const { connections } = await this.#knowServer();
    return { serverConnections: connections };
  }

  join(tx: PostgresTransaction): Store {
    if (typeof Object(tx).query !== 'function' || 'totalCount' in Object(tx))
      throw new DriverError(
        'InvalidInput',
        "'tx' must be a client with an open transaction: of a pool, what its connect() gives.",
      );
    return new PostgresStore(this.context, tx);
  }

  deferred(handle: () => Promise<PostgresTransaction>): PostgresTransaction {
    return { query: async (text, values) => (await handle()).query(text, values) };
  }

  async begin({
    idleLimitMs,
    after,
  }: BeginOptions<PostgresTransaction>): Promise<HeldTransaction<PostgresTransaction>> {
    const server = this.#server ?? (await this.#knowServer());
    const last = after instanceof PostgresHeldTransaction ? after : null;
    const handed = await last?.handOver();
    const before = handed === undefined ? null : last;
    // What a handler has written there may have to be undone, and settled otherwise: meanwhile this would have a second connection.
    if (before === null && last?.used) await last.over;
    const client = handed ?? (await takeConnection(this.#pool, this.context.answerMs));
    const [own, pool, flushSession] = [this.#own, this.#soon, this.#flushSession];
    const surroundings = { context: this.context, own, pool, server, flushSession, before };
    return new PostgresHeldTransaction(surroundings, client, idleLimitMs);
  }

  override async notify(wakeUps: readonly WakeUp[]): Promise<void> {
    const { sql, channel } = this.context;
    await this.#prepared.query(this.#soon, sql.notifySoon, [channel, texts(wakeUps)]);
  }

  async survey({ queues, kinds }: Lanes): Promise<Survey> {
    const { survey } = this.context.sql;
    const [row] = await query<SurveyRow>(
      this.#soon,
      survey,
      [queues, kinds],
      this.#own.nameOf(survey, queues.length),
    );
    const { promoted = 0n, next_due_ms: nextDueMs = null, waiting = false, leased = false } = row ?? {};
    return { promoted: Number(promoted), nextDueMs, waiting, leased };
  }

  async reclaim({ queues, dead }: Graves): Promise<Reclaimed> {
    const { sql, lockClass } = this.context;
    const [row] = await query<{ reclaimed: bigint; lapsed: readonly string[] }>(this.#soon, sql.reclaim, [
      lockClass.unsigned,
      queues,
      dead,
    ]);
    const { reclaimed = 0n, lapsed = [] } = row ?? {};
    return { reclaimed: Number(reclaimed), lapsed };
  }

  startRuns(runs: readonly RunStart[], told?: RunsTold): Promise<readonly RunStarted[]> {
    return this.#starts.write(runs, told);
  }

  async noteRun({ runId, jobs }: RunRef, { progress }: RunNote): Promise<void> {
    await query(this.#soon, this.context.sql.noteProgress, [jobs, runId, JSON.stringify(progress)]);
  }

  async history({ beyond, newestFirst, limit }: Stretch): Promise<readonly HistoryEntry[]> {
    const { history, historyBack } = this.context.sql;
    const [text, from] = newestFirst ? [historyBack, beyond ?? NO_ID] : [history, beyond ?? 0n];
    const rows = await query<HistoryRow>(this.#soon, text, [from, limit]);
    return rows.map(({ id, queue, status, created_ms: createdMs, settled_ms: settledMs }) => ({
      id,
      queue,
      status,
      createdMs,
      settledMs,
    }));
  }

  async prune(jobs: readonly JobId[], settledMs: number): Promise<number> {
    const [row] = await query<{ pruned: bigint }>(this.#soon, this.context.sql.prune, [jobs, settledMs]);
    return Number(row?.pruned ?? 0);
  }

  async takePruneTurn(workerId: string, forMs: number): Promise<boolean> {
    const rows = await query(this.#soon, this.context.sql.takePruneTurn, [workerId, forMs]);
    return rows.length > 0;
  }

  async anchor(worker: WorkerInfo, session?: SessionListener): Promise<Anchor> {
    const { sql, lockClass } = this.context;
    const isShared = this.#sessions === 'auto' ? await this.#sharesSessions() : this.#sessions === 'shared';
    if (this.#ownsPool && !isShared) this.#own.know();
    await query(this.#soon, sql.forgetWorkers, [lockClass.unsigned]);
    await query(this.#soon, sql.forgetRuns);
    const row = await WorkerRow.add(this.#soon, sql, worker);
    if (!isShared) return PostgresAnchor.open(this.context, this.#soon, this.#newClient, row, session);
    return BeatingAnchor.open(new PostgresPulse(this.context, this.#soon, this.#newClient, row), session);
  }

  async close(): Promise<void> {
    await this.#prepared.rest();
    await this.#flushSession.close();
    if (this.#ownsPool && !this.#pool.ending) await endPool(this.#pool, this.context.answerMs);
  }

  protected override async askAll<Row extends pg.QueryResultRow>(
    questions: readonly Question[],
  ): Promise<Row[]> {
    const [first, ...others] = questions;
    const made = first?.() ?? [];
    const [only, ...more] = made;
    if (only === undefined) return [];
    const all = [() => made, ...others];
    return despiteDeadlocks(() =>
      others.length + more.length === 0
        ? this.#prepared.query<Row>(this.on, only.text, only.values)
        : this.#patiently((client) => askInTransaction<Row>(client, this.context, all)),
    );
  }

  protected override atomically<Result>(work: (store: PostgresStore) => Promise<Result>): Promise<Result> {
    return despiteDeadlocks(() => this.#patiently((client) => inTransaction(client, this.context, work)));
  }

  #patiently<Answer>(ask: (client: pg.PoolClient) => Promise<Answer>): Promise<Answer> {
    return patiently(this.#pool, { own: this.#own, answerMs: this.context.answerMs }, ask);
  }

  #sharesSessions(): Promise<boolean> {
    return sharesSessions(this.#pool, this.#newClient, this.context.sql);
  }

  #knowServer(): Promise<Server> {
    this.#knowing ??= serverOf(this.#soon).then(
      (server) => {
        this.#server = server;
        return server;
      },
      (error: unknown) => {
        this.#knowing = null;
        throw error;
      },
    );
    return this.#knowing;
  }

  /** One of a worker's own, outside the pool. */
  readonly #newClient = (): pg.Client => {
    const { options } = this.#pool;
    const { keepAliveInitialDelayMillis, connectionTimeoutMillis } = DEFAULTS;
    return new pg.Client({
      ...options,
      // One statement at a time: where these are pipelined, the end of a connection waits for a server that is silent.
      pipeline: false,
      // The pool hides its password from being copied, so that it is not logged by accident.
      password: options.password,
      keepAlive: true,
      keepAliveInitialDelayMillis: options.keepAliveInitialDelayMillis ?? keepAliveInitialDelayMillis,
      connectionTimeoutMillis: options.connectionTimeoutMillis || connectionTimeoutMillis,
    });
  };
}
