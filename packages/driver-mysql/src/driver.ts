import { type Enqueued, isDriverError, type State } from '@rowlock/core';
import {
  type Anchor,
  answerWithin,
  BeatingAnchor,
  type BeginOptions,
  type Capabilities,
  type Driver,
  type Graves,
  type HeldTransaction,
  type HistoryEntry,
  type JobFilter,
  type JobId,
  type JobPage,
  type Lanes,
  type MigrationReport,
  type NewJob,
  type Page,
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
import {
  type Connection,
  type ConnectionOptions,
  createConnection,
  createPool,
  type Pool,
} from 'mysql2/promise';
import { AheadOfCommit } from './ahead-of-commit.js';
import { MysqlAnchor } from './worker/anchor.js';
import { checkCallersConnection } from './connection/callers-connection.js';
import { ClaimConnections } from './connection/claim-connections.js';
import { CommitWatch } from './worker/commit-watch.js';
import { type Context, context } from './context.js';
import { toDriverError } from './errors.js';
import { recordsOf } from './statements/given-rows.js';
import { MysqlHeldTransaction, type Sessions } from './claim/claim-transaction.js';
import { rangeOf } from './statements/job-ids.js';
import { JoinedStore } from './store/joined-store.js';
import { migrate, outdated, productOf, SCHEMA_VERSION } from './schema/migrations.js';
import { idsOf, notCompleted, writeOut } from './run/open-runs.js';
import { type MysqlOptions, type SessionKind, type Settings, settingsOf } from './options.js';
import { MysqlPulse } from './worker/pulse.js';
import { change, inParts, list, type MysqlTransaction, query } from './statements/query.js';
import { interrupt, Ringer } from './worker/ringer.js';
import { RunStarts } from './run/run-starts.js';
import { cut, endPool, onPool, prepareSession, takeConnection } from './connection/session.js';
import { sharesSessions } from './connection/shared-sessions.js';
import { storableJson } from './statements/storable.js';
import { MysqlStore } from './store/store.js';
import { verifySettings } from './schema/verify-settings.js';
import { WorkerRow } from './worker/worker-row.js';

/**
 * Jobs on MySQL 8.0.22 and later, and MariaDB 10.10 and later.
 *
 * The driver has connections of its own: a claim needs READ COMMITTED, and an application's pool has its own ideas.
 *
 * @throws InvalidInputError
 *
 * @example
 * const driver = mysql({ uri: process.env.DATABASE_URL });
 */
export function mysql(options: MysqlOptions = {}): Driver<MysqlTransaction> {
  const settings = settingsOf(options);
  return new MysqlDriver(context(settings.schema, settings.answerMs), settings);
}

/** How long a connection that nobody needs is kept, in milliseconds. */
const IDLE_MS = 10_000;

/** A leased job whose worker has no session, or whose lease is over. */
interface Lapsed {
  id: string;
  process_id: string;
  worker_id: string;
  /** 1 when it is over whether the worker lives or not. */
  is_over: number | string;
  /** 1 when its worker has no session. */
  is_lapsed: number | string;
}

interface HistoryRow {
  id: string;
  queue: string;
  status: State;
  created_ms: string;
  settled_ms: string | null;
}

/** Beyond every id. */
const NO_ID = 2n ** 63n - 1n;

class MysqlDriver extends MysqlStore implements Driver<MysqlTransaction> {
  readonly name = 'mysql';
  readonly capabilities: Capabilities;
  readonly #pool: Pool;
  readonly #claims: ClaimConnections;
  readonly #options: ConnectionOptions;
  readonly #push: boolean;
  readonly #kind: SessionKind;
  readonly #watch: CommitWatch;
  readonly #ringer: Ringer;
  /** For short statements. */
  readonly #soon: MysqlTransaction;
  /** For what may look through all jobs. */
  readonly #patient: MysqlStore;
  readonly #ahead: AheadOfCommit;
  readonly #starts: RunStarts;
  /** Whether a proxy lets clients share sessions; undefined until a worker has found out. */
  #shared: boolean | undefined;
  #closing: Promise<void> | null = null;

  constructor(context: Context, { answerMs, maxConnections, push, sessions, connecting }: Settings) {
    const pool = createPool({
      ...connecting,
      connectionLimit: maxConnections,
      // Each second the client closes what idles beyond `maxIdle`, however short, and looks for what has idled for too long only
      // where there is such a bound: with a low one a load of fifty at once would open forty connections a second.
      maxIdle: Math.max(1, maxConnections - 1),
      idleTimeout: IDLE_MS,
    });
    const soon = onPool(pool, answerMs);
    super(context, soon);
    this.#soon = soon;
    this.#patient = new MysqlStore(context, onPool(pool, answerMs, true));
    this.#pool = pool;
    this.#claims = new ClaimConnections(pool, answerMs);
    this.#options = connecting;
    this.#push = push && sessions !== 'shared';
    this.#kind = sessions;
    this.#ringer = new Ringer(context, this.#soon, this.#push ? () => this.#open() : null);
    this.#watch = new CommitWatch(
      (rings) => this.#seen(rings),
      (wakeUps) => this.#ringer.call(wakeUps),
    );
    this.#ahead = new AheadOfCommit(connecting, answerMs);
    this.#starts = new RunStarts(this.#soon, context.sql, this.#ahead);
    this.capabilities = { maxConnections, sharesPool: false, chains: false };
  }

  async migrate(): Promise<MigrationReport> {
    const client = await this.#open({ multipleStatements: true });
    try {
      return await migrate(client, this.context);
    } finally {
      client.destroy();
    }
  }

  async verify(): Promise<Verified> {
    const [row] = await query<{ version: number }>(this.#soon, this.context.sql.schemaVersion).catch(
      (error: unknown) => {
        if (isDriverError(error, 'SchemaOutdated')) return [];
        throw error;
      },
    );
    const found = Number(row?.version ?? 0);
    if (found < SCHEMA_VERSION) throw outdated(found, this.context.schema, await productOf(this.#soon));
    return { serverConnections: await verifySettings(this.#soon, this.context.schema) };
  }

  join(tx: MysqlTransaction): Store {
    checkCallersConnection(tx);
    return new JoinedStore(this.context, tx, this.on, this.#watch);
  }

  deferred(handle: () => Promise<MysqlTransaction>): MysqlTransaction {
    return {
      execute: async (sql, values) => (await handle()).execute(sql, values),
      query: async (sql, values) => (await handle()).query(sql, values),
    };
  }

  async begin({ idleLimitMs }: BeginOptions): Promise<HeldTransaction<MysqlTransaction>> {
    return MysqlHeldTransaction.begin(this.context, this.#claims, this.#sessions, idleLimitMs);
  }

  override async enqueue(
    jobs: readonly NewJob[],
    wakeUps: readonly WakeUp[] = [],
  ): Promise<readonly Enqueued[]> {
    const outcomes = await super.enqueue(jobs);
    if (outcomes.some(({ outcome }) => outcome === 'enqueued')) this.#ringer.ringBehind(wakeUps);
    return outcomes;
  }

  override async list(filter: JobFilter, page: Page): Promise<JobPage> {
    // One job is found by an index.
    return filter.publicId === undefined ? this.#patient.list(filter, page) : super.list(filter, page);
  }

  override async count(filter: JobFilter): Promise<Record<State, number>> {
    return this.#patient.count(filter);
  }

  override async notify(wakeUps: readonly WakeUp[]): Promise<void> {
    await this.#ringer.ring(wakeUps);
  }

  async survey({ queues, kinds }: Lanes): Promise<Survey> {
    let [promoted, nextDueMs]: [number, number | null] = [0, null];
    let [waiting, leased] = [false, false];
    for (const queue of queues) {
      promoted += await this.#promote(queue);
      const [next] = await query<{ next_due_ms: string }>(this.#soon, this.context.sql.nextDue, [queue]);
      if (next !== undefined)
        nextDueMs = Math.min(nextDueMs ?? Number.POSITIVE_INFINITY, Number(next.next_due_ms));
      const kind = list(kinds);
      const met = await query(this.#soon, this.context.sql.waiting(kind.places), [queue, ...kind.values]);
      waiting ||= met.length > 0;
      leased ||= (await query(this.#soon, this.context.sql.leased, [queue])).length > 0;
    }
    return { promoted, nextDueMs, waiting, leased };
  }

  async reclaim({ queues, dead }: Graves): Promise<Reclaimed> {
    const { sql, lockPrefix } = this.context;
    const leased: Lapsed[] = [];
    for (const queue of queues)
      leased.push(...(await query<Lapsed>(this.#soon, sql.lapsed, [lockPrefix, queue, lockPrefix])));
    const found = leased.filter(
      ({ worker_id, is_over }) => Number(is_over) === 1 || dead.includes(worker_id),
    );
    let reclaimed = 0;
    for (const part of inParts(found)) reclaimed += await this.#putBack(part);
    const lapsed = leased
      .filter(({ is_lapsed }) => Number(is_lapsed) === 1)
      .map(({ worker_id }) => worker_id);
    return { reclaimed, lapsed: [...new Set(lapsed)] };
  }

  startRuns(runs: readonly RunStart[], told?: RunsTold): Promise<readonly RunStarted[]> {
    return this.#starts.write(runs, this.#shared === false ? told : undefined);
  }

  async noteRun({ runId, jobs }: RunRef, { progress }: RunNote): Promise<void> {
    const { sql } = this.context;
    const note = async (): Promise<number> => {
      let noted = 0;
      for (const part of inParts(jobs)) {
        const wanted = list(part);
        const values = [storableJson(progress), ...wanted.values, runId];
        noted += (await change(this.#soon, sql.noteProgress(wanted.places), values)).rows;
      }
      return noted;
    };
    if ((await note()) > 0) return;
    // Of an open run, into records that are made for it.
    const [first] = rangeOf(jobs);
    const records = recordsOf([{ runId, jobs }]);
    const [open] = await query<{ last_id: string }>(this.#soon, sql.findOpenRun, [first, runId]);
    if (open === undefined) return;
    await change(this.#soon, sql.writeOut(records.text), [...records.values, open.last_id]);
    await note();
  }

  async history({ beyond, newestFirst, limit }: Stretch): Promise<readonly HistoryEntry[]> {
    const { history, historyBack } = this.context.sql;
    const [text, from] = newestFirst ? [historyBack, beyond ?? NO_ID] : [history, beyond ?? 0n];
    const rows = await query<HistoryRow>(this.#soon, text, [from, limit]);
    return rows.map(({ id, queue, status, created_ms, settled_ms }) => ({
      id: BigInt(id),
      queue,
      status,
      createdMs: Number(created_ms),
      settledMs: settled_ms === null ? null : Number(settled_ms),
    }));
  }

  async prune(jobs: readonly JobId[], settledMs: number): Promise<number> {
    if (jobs.length === 0) return 0;
    const { sql } = this.context;
    return this.atomically(async (tx) => {
      const wanted = list(jobs);
      const text = sql.lockSettled(wanted.places);
      const free = await query<{ id: string }>(tx, text, [...wanted.values, settledMs]);
      if (free.length === 0) return 0;
      const ids = list(free.map(({ id }) => id));
      await change(tx, sql.pruneRuns(ids.places), ids.values);
      await change(tx, sql.prune(ids.places), ids.values);
      return free.length;
    });
  }

  async takePruneTurn(workerId: string, forMs: number): Promise<boolean> {
    const { sql } = this.context;
    const others = await query(this.#soon, sql.findPruner, [workerId]);
    if (others.length > 0) return false;
    const { rows } = await change(this.#soon, sql.takePruneTurn, [forMs, workerId]);
    return rows > 0;
  }

  async anchor(worker: WorkerInfo, session?: SessionListener): Promise<Anchor> {
    const { sql, answerMs } = this.context;
    const connect = (): Promise<Connection> => this.#open();
    const isShared =
      this.#kind === 'auto'
        ? await sharesSessions(() => takeConnection(this.#pool, answerMs), connect, sql)
        : this.#kind === 'shared';
    this.#shared = isShared;
    await this.#forgetWorkers();
    const row = await WorkerRow.add(this.#soon, sql, worker);
    if (isShared) {
      return BeatingAnchor.open(new MysqlPulse(this.context, this.#soon, connect, row), session);
    }
    const anchor = await MysqlAnchor.open(this.context, this.#soon, connect, row, this.#push, session);
    this.#ringer.expectSleeper();
    return anchor;
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  protected override async atomically<Result>(
    work: (tx: MysqlTransaction) => Promise<Result>,
    answerMs = this.context.answerMs,
  ): Promise<Result> {
    const client = await takeConnection(this.#pool, this.context.answerMs);
    try {
      const transaction = async (): Promise<Result> => {
        await client.query(this.context.sql.begin);
        const result = await work(client);
        await client.query('COMMIT');
        return result;
      };
      const result = await answerWithin(answerMs, transaction(), () => cut(client));
      client.release();
      return result;
    } catch (error) {
      client.destroy();
      throw toDriverError(error);
    }
  }

  /** What cannot be closed does not keep the rest open. @throws the first error */
  async #close(): Promise<void> {
    this.#watch.stop();
    const errors: unknown[] = [];
    // The ringer has a last ring for the pool.
    const endClaims = (): Promise<void> => endPool(this.#pool, this.context.answerMs);
    for (const close of [() => this.#ringer.close(), () => this.#ahead.close(), endClaims])
      await close().catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }

  /** Those of these rings that are committed. */
  async #seen(rings: readonly number[]): Promise<readonly number[]> {
    const seen: number[] = [];
    for (const part of inParts(rings)) {
      const wanted = list(part);
      const sql = this.context.sql.findRings(wanted.places);
      const rows = await query<{ id: string }>(this.#soon, sql, wanted.values);
      seen.push(...rows.map(({ id }) => Number(id)));
    }
    return seen;
  }

  async #forgetWorkers(): Promise<void> {
    const { sql, lockPrefix } = this.context;
    const gone = await query<{ id: string }>(this.#soon, sql.findGone, [lockPrefix]);
    if (gone.length > 0) {
      const ids = list(gone.map(({ id }) => id));
      await change(this.#soon, sql.forgetWorkers(ids.places), [...ids.values, lockPrefix]);
    }
    const left = await query<{ process_id: string; job_ids: string }>(this.#soon, sql.findForgotten);
    for (const { process_id: runId, job_ids } of left) {
      const run = { runId, jobs: idsOf(job_ids) };
      await writeOut(this.#soon, sql, run, (jobs) => notCompleted(this.#soon, sql, run, jobs));
    }
  }

  /** Lets delayed jobs become due. Whoever holds one of them lets it be found the next time. */
  async #promote(queue: string): Promise<number> {
    const { sql } = this.context;
    const later = await query<{ id: string }>(this.#soon, sql.findLater, [queue]);
    if (later.length === 0) return 0;
    return this.atomically(async (tx) => {
      const wanted = list(later.map(({ id }) => id));
      const free = await query<{ id: string }>(tx, sql.lockLater(wanted.places), wanted.values);
      if (free.length === 0) return 0;
      const due = list(free.map(({ id }) => id));
      await change(tx, sql.promote(due.places), due.values);
      return free.length;
    });
  }

  /** Whoever settles one of them just now is let. */
  #putBack(lapsed: readonly Lapsed[]): Promise<number> {
    const { sql } = this.context;
    const runs = new Map(lapsed.map(({ id, process_id }) => [id, process_id]));
    return this.atomically(async (tx) => {
      const wanted = list([...runs.keys()]);
      const rows = await query<Pick<Lapsed, 'id' | 'process_id'>>(
        tx,
        sql.lockLapsed(wanted.places),
        wanted.values,
      );
      const free = rows.filter(({ id, process_id }) => runs.get(id) === process_id);
      if (free.length === 0) return 0;
      const ids = list(free.map(({ id }) => id));
      await change(tx, sql.reclaim(ids.places), ids.values);
      return free.length;
    });
  }

  /** Behind a proxy that lets clients share connections, a number could be that of somebody else's session. */
  readonly #sessions: Sessions = {
    interrupt: async (session) => {
      if (this.#push && !this.#shared) await interrupt(this.#soon, session);
    },
    end: async (session) => {
      if (this.#push && !this.#shared) await this.#soon.query(`KILL ${session}`).catch(() => {});
    },
  };

  async #open(more: ConnectionOptions = {}): Promise<Connection> {
    try {
      const client = await createConnection({ ...this.#options, ...more });
      // Whoever has asked is told.
      client.on('error', () => {});
      await answerWithin(this.context.answerMs, prepareSession(client), () => cut(client)).catch(
        (error: unknown) => {
          client.destroy();
          throw error;
        },
      );
      return client;
    } catch (error) {
      throw toDriverError(error);
    }
  }
}
