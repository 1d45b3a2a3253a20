import { isDriverError, type Worker } from '@rowlock/core';
import type { Insight } from '@rowlock/core/types';
import { within } from '../within.js';

/** How long the database may take for an answer, in milliseconds. */
const ANSWER_MS = 2_000;

/** How long a look that gets no answer keeps others from being made beside it, in milliseconds. */
const LOST_MS = 30_000;

export interface Health {
  /** Whether the process can do its work. If not, only a new process can. */
  readonly live: boolean;
  /** Whether it does its work at the moment. */
  readonly ready: boolean;
  /** Why it is not live, or not ready, a sentence each. */
  readonly reasons: readonly string[];
}

export interface HealthCheck {
  /** The part of it that needs no look at the database. */
  live(): Omit<Health, 'ready'>;
  /** Never rejects. Calls at the same time share one look at the database. */
  check(): Promise<Health>;
  /**
   * Answers `GET …/live` and `GET …/ready`: 200 for yes, 503 for no, each with the reasons as JSON. `live` does not look at the database: a
   * restart of the process would not mend that. Other paths get 404.
   */
  fetch(request: Request): Promise<Response>;
}

/** The calls of a Rowlock that a check needs. */
export interface Checked {
  readonly insight: Pick<Insight, 'verify' | 'workers'>;
}

/** The part of a worker that a check needs. */
export type CheckedWorker = Pick<Worker<unknown>, 'id' | 'name' | 'on'>;

/**
 * Whether a process is fit: the database answers and is migrated, and the worker has started and is alive for the others.
 *
 * @param worker Call this before `worker.start()`. Left out in a program that only enqueues.
 * @example
 * const { fetch } = health(rowlock, worker);
 */
export function health(rowlock: Checked, worker?: CheckedWorker): HealthCheck {
  const readiness = new Readiness(rowlock, worker);
  const live = (): Omit<Health, 'ready'> => {
    const reasons = readiness.hasStopped ? ['The worker has stopped, and does not start again.'] : [];
    return { live: reasons.length === 0, reasons };
  };
  const check = async (): Promise<Health> => {
    const alive = live();
    const reasons = [...alive.reasons, ...(await readiness.reasons())];
    return { live: alive.live, ready: reasons.length === 0, reasons };
  };
  return {
    live,
    check,
    async fetch({ url, method }) {
      if (method !== 'GET' && method !== 'HEAD')
        return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } });
      const { pathname } = new URL(url);
      if (pathname.endsWith('/live')) {
        const found = live();
        return answer(found.live, found);
      }
      if (!pathname.endsWith('/ready')) return new Response(null, { status: 404 });
      const found = await check();
      return answer(found.ready, found);
    },
  };
}

function answer(isWell: boolean, body: object): Response {
  return Response.json(body, { status: isWell ? 200 : 503, headers: { 'cache-control': 'no-store' } });
}

class Readiness {
  readonly #rowlock: Checked;
  readonly #worker: CheckedWorker | undefined;
  #isMigrated = false;
  #look: Promise<readonly string[]> | null = null;
  /** The look at the database that goes on, also when its caller has given up. */
  #pending: Promise<readonly string[]> | null = null;
  #begunAt = 0;
  hasStopped = false;

  constructor(rowlock: Checked, worker: CheckedWorker | undefined) {
    this.#rowlock = rowlock;
    this.#worker = worker;
    worker?.on('stop', () => {
      this.hasStopped = true;
    });
  }

  /** Why the process is not ready, without the worker's stop. */
  reasons(): Promise<readonly string[]> {
    this.#look ??= within(ANSWER_MS, this.#found())
      .catch((error: unknown) => [reasonOf(error)])
      .finally(() => {
        this.#look = null;
      });
    return this.#look;
  }

  /** A database that is slow gets no look of each probe beside the others. */
  #found(): Promise<readonly string[]> {
    const now = performance.now();
    if (this.#pending !== null && now - this.#begunAt < LOST_MS) return this.#pending;
    const pending = this.#find().finally(() => {
      if (this.#pending === pending) this.#pending = null;
    });
    this.#begunAt = now;
    this.#pending = pending;
    return pending;
  }

  async #find(): Promise<readonly string[]> {
    // A schema does not go back, so one look is enough. Each look would log the server's warnings again.
    if (!this.#isMigrated) await this.#rowlock.insight.verify();
    this.#isMigrated = true;
    const workers = await this.#rowlock.insight.workers();
    const worker = this.#worker;
    if (worker === undefined || this.hasStopped) return [];
    if (worker.id === undefined) return [`The worker ${worker.name} has not started.`];
    const own = workers.find(({ id }) => id === worker.id);
    if (own?.alive !== true) return [`The worker ${worker.name} has lost its session with the database.`];
    return [];
  }
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const isOfTables = isDriverError(error, 'SchemaOutdated') || isDriverError(error, 'SchemaDiffers');
  return isOfTables ? message : `The database does not answer: ${message}`;
}
