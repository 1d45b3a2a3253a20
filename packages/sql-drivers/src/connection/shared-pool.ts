import { setTimeout as sleep } from 'node:timers/promises';
import { DriverError } from '@rowlock/core';
import { answerWithin, type ConnectionPool, type Crew, GrowingDelay } from '@rowlock/core/driver';
import { type ClientPool, PoolSize } from './pool-size.js';

/** The source of a claim's connection: the pool, or connections that were kept between two claims. */
export interface ClaimSource<Client> {
  take(): Promise<Client>;
  giveBack(client: Client): void;
}

/** A claim that waits for its turn. */
interface Waiting {
  readonly isSettlement: boolean;
  readonly begin: () => void;
}

/** How long a claim waits until an application gives back a connection, in milliseconds. */
const APPLICATION_MS = 50;

/** Pauses until such a claim tries again, in milliseconds. Meanwhile other claims have its connection. */
const [FIRST_PAUSE_MS, LAST_PAUSE_MS] = [50, 1_000];

/** How often a claim that waits checks its time, in milliseconds. */
const LOOK_MS = 250;

/**
 * The connections of one pool, for all drivers of this process on that pool.
 *
 * A claim keeps its connection while the record of its run needs another one. If claims had all connections of the
 * pool, each of them would wait for the others. While workers run, one connection is therefore left to short
 * statements, which need no second one.
 */
export class SharedPool<Client = unknown> implements ConnectionPool {
  readonly isApplications: boolean;
  readonly #pool: ClientPool<Client>;
  readonly #size: PoolSize<Client>;
  readonly #waiting: Waiting[] = [];
  #crew: Crew = { workers: 0, concurrency: 0 };
  /** How many claims have a connection, or had their turn to take one. */
  #claims = 0;
  /** How many claims have a connection. */
  #held = 0;
  /** With how many claims another connection was seen. */
  #proven = 0;
  #proof: Promise<boolean> | null = null;
  #endProof: () => void = () => {};

  constructor(pool: ClientPool<Client>, isApplications: boolean) {
    this.#pool = pool;
    this.isApplications = isApplications;
    this.#size = new PoolSize(pool, () => this.#resized());
  }

  get most(): number {
    return this.#size.most;
  }

  /** How many the pool has now. */
  get open(): number {
    return this.#pool.open;
  }

  get crew(): Crew {
    return this.#crew;
  }

  join(concurrency: number): () => void {
    this.#count(1, concurrency);
    return () => this.#count(-1, -concurrency);
  }

  /** A connection for statements that need no second one. @throws the client's error */
  connect(answerMs: number): Promise<Client> {
    return this.#size.connect(answerMs);
  }

  onShortage(listener: (shortage: DriverError) => void): () => void {
    return this.#size.onShortage(listener);
  }

  /**
   * A connection for a claim, which then calls `letGo` when its connection is back. Waits while the other claims leave
   * only one.
   *
   * @param isSettlement Whether it settles a lease. New claims come after it.
   * @throws DriverError when no claim had a connection for `answerMs`
   */
  async hold(source: ClaimSource<Client>, answerMs: number, isSettlement: boolean): Promise<Client> {
    const until = performance.now() + answerMs;
    const pause = new GrowingDelay(FIRST_PAUSE_MS, LAST_PAUSE_MS);
    for (;;) {
      await this.#turn(isSettlement, until);
      const client = await this.#take(source);
      const leavesOne = await this.#leavesOne(answerMs).catch((error: unknown) => {
        this.#giveBack(source, client);
        throw error;
      });
      if (leavesOne) return client;
      this.#giveBack(source, client);
      if (this.isApplications) await sleep(pause.next());
    }
  }

  /** A claim's connection is back. */
  letGo(): void {
    this.#held -= 1;
    this.#claims -= 1;
    this.#next();
  }

  async #take(source: ClaimSource<Client>): Promise<Client> {
    try {
      const client = await source.take();
      this.#held += 1;
      return client;
    } catch (error) {
      this.#claims -= 1;
      this.#next();
      throw error;
    }
  }

  #giveBack(source: ClaimSource<Client>, client: Client): void {
    source.giveBack(client);
    this.letGo();
  }

  #count(workers: number, concurrency: number): void {
    this.#crew = {
      workers: this.#crew.workers + workers,
      concurrency: this.#crew.concurrency + concurrency,
    };
  }

  /** How many claims may have a connection. The workers' concurrency is small enough for a pool of its full size. */
  get #places(): number {
    const isShort = this.#size.isLimited && this.#crew.workers > 0;
    return isShort ? this.#size.now - 1 : Number.POSITIVE_INFINITY;
  }

  /** Waits for a place. Rejects at `until`, unless other claims have places, which become free. */
  #turn(isSettlement: boolean, until: number): Promise<void> {
    if (this.#waiting.length === 0 && this.#claims < this.#places) {
      this.#claims += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const timer = setInterval(() => {
        if (this.#claims > 0 || performance.now() < until) return;
        clearInterval(timer);
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(noPlace(this.#size.now));
      }, LOOK_MS);
      const begin = (): void => {
        clearInterval(timer);
        resolve();
      };
      const waiting = { isSettlement, begin };
      const claim = this.#waiting.findIndex((other) => !other.isSettlement);
      if (isSettlement && claim >= 0) this.#waiting.splice(claim, 0, waiting);
      else this.#waiting.push(waiting);
      this.#next();
    });
  }

  #resized(): void {
    if (this.#claims > this.#places) this.#endProof();
    this.#next();
  }

  #next(): void {
    while (this.#claims < this.#places) {
      const first = this.#waiting.shift();
      if (first === undefined) return;
      this.#claims += 1;
      first.begin();
    }
  }

  /** Whether the pool has a connection that no claim has. Opens one, or waits for one, unless that is known. */
  async #leavesOne(answerMs: number): Promise<boolean> {
    if (this.#crew.workers === 0) return true;
    if (this.#claims > this.#places) return false;
    // An application may have taken the others of its pool since.
    const isFree = !this.isApplications || this.#pool.free > 0;
    if (isFree && this.#held <= Math.min(this.#proven, this.open - 1)) return true;
    this.#proof ??= Promise.race([this.#prove(answerMs), this.#shrunk()]).finally(() => {
      this.#proof = null;
    });
    return this.#proof;
  }

  /** Resolves when the pool has shrunk and may have no other connection: claims then have to give back theirs. */
  #shrunk(): Promise<false> {
    return new Promise((resolve) => {
      this.#endProof = () => resolve(false);
    });
  }

  /**
   * Takes another connection and gives it back. All claims that have a connection by then share the proof. An application
   * may keep what it has of its pool, so the wait for that is short.
   */
  async #prove(answerMs: number): Promise<boolean> {
    const connecting = this.#size.connectOnce();
    const boundMs = this.isApplications ? Math.min(answerMs, APPLICATION_MS) : answerMs;
    let isLate = false;
    try {
      const client = await answerWithin(boundMs, connecting, () => {
        isLate = true;
        connecting.then((late) => this.#pool.giveBack(late)).catch(() => {});
      });
      this.#proven = Math.max(this.#proven, this.#held);
      this.#pool.giveBack(client);
      return true;
    } catch (error) {
      if (this.#pool.isRefusal(error) || (isLate && this.isApplications)) return false;
      throw error;
    }
  }
}

function noPlace(size: number): DriverError {
  return new DriverError(
    'OutOfResources',
    `A claim needs a second connection for the record of its run, and the server accepts only ${size}.`,
  );
}
