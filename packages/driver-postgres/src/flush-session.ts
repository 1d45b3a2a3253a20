import { answerWithin } from '@rowlock/core/driver';
import type { Client, QueryResultRow } from 'pg';
import type { Context } from './context.js';
import type { Asked, QueryConfig } from './query.js';
import { cut } from './session.js';
import { WalFlush } from './wal-flush.js';

/**
 * With so many others on their way, or of so many jobs, a commit need not wait for the disk by itself. A flush that few share costs both sides more
 * than it spares: a statement for each commit that would have waited without one.
 */
const OTHERS = 3;
const JOBS = 10;

/** How long a session that could not be opened is not tried again, in milliseconds. */
const PAUSE_MS = 1_000;

/** A commit on its way. */
export interface Commit {
  /** Waits for the disk behind it; null where the commit itself does. */
  readonly flushed: (() => Promise<void>) | null;
  /** It is over. */
  end(): void;
}

/**
 * A session that waits for the disk in the place of commits that do not. It tells of those that were sent while it was open: if it
 * answers after them, the server has not stopped in between and forgotten what was not on its disk. A new one could not know.
 */
export class FlushSession {
  readonly #context: Context;
  readonly #connect: () => Client;
  #commits = 0;
  #flush: WalFlush | null = null;
  #client: Client | null = null;
  #opening: Promise<void> | null = null;
  #triedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(context: Context, connect: () => Client) {
    this.#context = context;
    this.#connect = connect;
  }

  /**
   * A commit is about to be sent.
   *
   * @param jobs How many jobs it settles
   * @param goesOn Whether something else comes right behind it, that need not wait
   */
  begin(jobs: number, goesOn: boolean): Commit {
    const isShared = this.#commits >= OTHERS || jobs >= JOBS;
    this.#commits += 1;
    const end = (): void => {
      this.#commits -= 1;
    };
    return { flushed: goesOn && isShared ? this.witness() : null, end };
  }

  /**
   * What waits for the disk after a commit that is sent now. Null where there is no session to tell of it, which is opened then for
   * later ones: the commit is to wait by itself.
   */
  witness(): (() => Promise<void>) | null {
    const flush = this.#flush;
    if (flush !== null) return () => flush.flush();
    if (!this.#isClosed && performance.now() >= this.#triedAt + PAUSE_MS) this.#opening ??= this.#open();
    return null;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening;
    const client = this.#client;
    if (client === null) return;
    this.#lose(client);
    await answerWithin(this.#context.answerMs, client.end(), () => cut(client)).catch(() => {});
  }

  async #open(): Promise<void> {
    this.#triedAt = performance.now();
    const { answerMs, sql } = this.#context;
    const client = this.#connect();
    client.on('error', () => this.#lose(client));
    client.on('end', () => this.#lose(client));
    this.#client = client;
    try {
      await answerWithin(answerMs, client.connect(), () => cut(client));
      const on: Asked = {
        query: <Row extends QueryResultRow>(statement: QueryConfig) =>
          answerWithin(answerMs, client.query<Row>(statement), () => cut(client)),
      };
      if (this.#client === client && !this.#isClosed)
        this.#flush = new WalFlush(on, sql.flush, () => 'rowlock.flush');
    } catch {
      // Commits go on waiting by themselves.
      this.#lose(client);
      cut(client);
    } finally {
      this.#opening = null;
    }
  }

  #lose(client: Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.#flush = null;
  }
}
