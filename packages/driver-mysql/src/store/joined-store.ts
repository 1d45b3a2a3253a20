import type { Enqueued } from '@rowlock/core';
import type { NewJob, WakeUp } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { change, type MysqlTransaction } from '../query.js';
import type { CommitWatch } from '../worker/commit-watch.js';
import type { Scope } from './scope.js';
import { MysqlStore } from './store.js';

type Ringer = Pick<MysqlTransaction, 'execute'>;

/** The verbs of a store inside a caller's transaction. The commit sends the wake-ups. */
export class JoinedStore extends MysqlStore {
  readonly #watch: CommitWatch;
  readonly #ringer: Ringer;

  /** @param ringer Where rings go. One outside of a transaction does no harm. */
  constructor(context: Context, scope: Scope, watch: CommitWatch, ringer: Ringer = scope.on) {
    super(context, scope);
    this.#watch = watch;
    this.#ringer = ringer;
  }

  override async enqueue(
    jobs: readonly NewJob[],
    wakeUps: readonly WakeUp[] = [],
  ): Promise<readonly Enqueued[]> {
    // Each is inserted. The answer to the ring shows whether the transaction is open, which saves a statement.
    if (jobs.length > 0 && jobs.every(({ unique }) => unique === null)) {
      await this.notify(wakeUps);
      return super.enqueue(jobs);
    }
    const outcomes = await super.enqueue(jobs);
    if (outcomes.some(({ outcome }) => outcome === 'enqueued')) await this.notify(wakeUps);
    return outcomes;
  }

  override async notify(wakeUps: readonly WakeUp[]): Promise<void> {
    const { sql } = this.context;
    for (const wakeUp of wakeUps) {
      // Postgres sends its notifications with the commit. On MySQL the ring is a row of the transaction. This process polls for the row
      // from outside.
      const { insertId } = await change(this.#ringer, sql.ring, [JSON.stringify(wakeUp)]);
      this.#watch.watch(insertId, wakeUp);
    }
  }
}
