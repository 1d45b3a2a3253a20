import type { Enqueued } from '@rowlock/core';
import type { NewJob, WakeUp } from '@rowlock/core/driver';
import type { Context } from '../context.js';
import { change } from '../query.js';
import type { CommitWatch } from '../worker/commit-watch.js';
import type { Scope } from './scope.js';
import { MysqlStore } from './store.js';

/** The verbs of a store inside a caller's transaction. The commit sends the wake-ups. */
export class JoinedStore extends MysqlStore {
  readonly #watch: CommitWatch;

  constructor(context: Context, scope: Scope, watch: CommitWatch) {
    super(context, scope);
    this.#watch = watch;
  }

  override async enqueue(
    jobs: readonly NewJob[],
    wakeUps: readonly WakeUp[] = [],
  ): Promise<readonly Enqueued[]> {
    const outcomes = await super.enqueue(jobs);
    if (outcomes.some(({ outcome }) => outcome === 'enqueued')) await this.notify(wakeUps);
    return outcomes;
  }

  override async notify(wakeUps: readonly WakeUp[]): Promise<void> {
    const { sql } = this.context;
    for (const wakeUp of wakeUps) {
      // Postgres sends its notifications with the commit. On MySQL the ring is a row of the transaction. This process polls for the row
      // from outside.
      const { insertId } = await change(this.scope.on, sql.ring, [JSON.stringify(wakeUp)]);
      this.#watch.watch(insertId, wakeUp);
    }
  }
}
