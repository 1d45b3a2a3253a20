import type { CallersTx } from './adapted-transaction.js';
import type { Admission, JoinableAdmission } from './admission.js';
import type { Audit, JoinableAudit } from './audit.js';
import type { CaptureStore } from './capture-store.js';
import type { Claims } from './claims.js';
import type { ConnectionPool } from './connection-pool.js';
import type { Expiry } from './expiry.js';
import type { Followers } from './followers.js';
import type { History } from './history.js';
import type { Insight } from './insight.js';
import type { Jobs } from './jobs.js';
import type { JoinableSchedules, ScheduleStore } from './schedule-store.js';
import type { Schema } from './schema.js';
import type { JoinableWorkers, Workers } from './workers.js';

/**
 * A database that can hold jobs. Core decides, and a driver translates into SQL. A driver has no policy, no backoff, no
 * attempt arithmetic and no handler's name. `@rowlock/driver-conformance` tests what each verb must do on every
 * database.
 *
 * @typeParam Tx The handle that a handler writes through, and that a caller may pass to enqueue in its own transaction.
 */
export interface Driver<Tx = unknown> {
  /** The database's name, for logs: `postgres`, `mysql`. */
  readonly name: string;
  /** The driver's pool, the same for all drivers on it in this process. Null for a driver without one. */
  readonly pool: ConnectionPool | null;
  readonly schema: Schema;
  readonly jobs: Jobs;
  readonly claims: Claims<Tx>;
  readonly workers: Workers;
  readonly admission: Admission;
  readonly followers: Followers;
  readonly expiry: Expiry;
  readonly history: History;
  readonly audit: Audit;
  readonly schedules: ScheduleStore;
  /** Left out where there are no tables whose changes could be captured. */
  readonly captures?: CaptureStore<Tx>;
  /** What operators look at. Left out where there is no operator. */
  readonly insight?: Insight;

  /** The verbs that can be part of the caller's open transaction, which the caller ends. */
  join(tx: CallersTx<Tx>): Joined;

  /**
   * Does work in a transaction of the driver's own, which is committed when the work resolves, and rolled back when it
   * rejects. `join` takes it.
   */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;

  /** Ends every connection that the driver opened. A pool that was passed in stays open. */
  close(): Promise<void>;
}

/** The verbs that a caller's transaction may have. They take effect with its commit, or not at all. */
export interface Joined {
  readonly jobs: Jobs;
  readonly workers: JoinableWorkers;
  readonly admission: JoinableAdmission;
  readonly history: Pick<History, 'prune'>;
  readonly audit: JoinableAudit;
  readonly schedules: JoinableSchedules;
}

/** Some verbs of a driver, by their contracts: `Uses<{ claims: 'survey' | 'reclaim' }>`. */
export type Uses<
  Verbs extends { readonly [Contract in keyof Driver]?: keyof Driver[Contract] },
  Tx = unknown,
> = {
  readonly [Contract in keyof Verbs & keyof Driver]: Pick<
    Driver<Tx>[Contract],
    Verbs[Contract] & keyof Driver[Contract]
  >;
};
