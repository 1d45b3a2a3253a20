import type { Anchor, SessionListener, WorkerInfo, WorkerView } from './anchor.js';
import type { WakeUp } from './wake-up.js';

/** The workers on record. */
export interface Workers extends JoinableWorkers {
  /**
   * Registers a worker, and keeps a session open that proves it alive and receives wake-ups. If sessions are shared,
   * a heartbeat does this: see `BeatingAnchor`. Deletes workers that have been gone for a day. A worker that has not
   * written its stop counts as gone a month after its start. A deleted worker that comes back keeps its id.
   */
  anchor(worker: WorkerInfo, session?: SessionListener): Promise<Anchor>;

  /** The workers that are alive, and those that stopped within the last hour. */
  list(): Promise<readonly WorkerView[]>;
}

/** The verbs that a caller's transaction may have. */
export interface JoinableWorkers {
  /** Wakes workers. On the pool at once. Joined, when the transaction commits, and only then. */
  notify(wakeUps: readonly WakeUp[]): Promise<void>;
}
