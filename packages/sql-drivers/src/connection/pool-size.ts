import { setTimeout as sleep } from 'node:timers/promises';
import { DriverError } from '@rowlock/core';
import { GrowingDelay } from '@rowlock/core/driver';

/** The pool of a database client, as its driver spells it. */
export interface ClientPool<Client> {
  /** The most connections that it opens. Beyond them, callers wait in the pool's own queue. */
  most: number;
  /** How many connections it has. One that is being opened may be refused, and does not count. */
  readonly open: number;
  /** How many a caller could have now without waiting, unless the server refuses them. */
  readonly free: number;
  connect(): Promise<Client>;
  giveBack(client: Client): void;
  /** Whether the error says that the server accepts no more connections, of anybody or of this user. */
  isRefusal(error: unknown): boolean;
}

/** Pauses between two tries for one more connection, in milliseconds. The server logs each refusal. */
const [FIRST_TRY_MS, LAST_TRY_MS] = [500, 30_000];

/** Pauses while the pool has no connection at all, in milliseconds. */
const [FIRST_WAIT_MS, LAST_WAIT_MS] = [20, 1_000];

/** How long refusals are gathered before they are reported, in milliseconds: the first ones come together. */
const GATHER_MS = 100;

/** How long a shortage is not reported again, in milliseconds. */
const REPORTED_MS = 3_600_000;

/**
 * The present size of a pool. A pool whose server refuses another connection counts as full at the size that it has.
 * Callers then wait for a free connection, and the pool tries for one more from time to time.
 */
export class PoolSize<Client> {
  /** The size that the pool is configured for. */
  readonly most: number;
  readonly #pool: ClientPool<Client>;
  readonly #changed: () => void;
  readonly #listeners = new Set<(shortage: DriverError) => void>();
  readonly #pause = new GrowingDelay(FIRST_TRY_MS, LAST_TRY_MS);
  #refusal: unknown;
  #isLimited = false;
  /** Whether the pool may have one more connection since the last refusal. */
  #hasGrown = false;
  #reportedUntil = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;

  /** @param changed Is called when the size has changed. */
  constructor(pool: ClientPool<Client>, changed: () => void) {
    this.#pool = pool;
    this.most = pool.most;
    this.#changed = changed;
  }

  /** Whether the server has refused to let the pool grow. */
  get isLimited(): boolean {
    return this.#isLimited;
  }

  get now(): number {
    return this.#pool.most;
  }

  /**
   * A connection of the pool. Waits while the server refuses more connections than the pool has.
   *
   * @param answerMs How long to wait while the pool has no connection at all, in milliseconds.
   * @throws the client's error
   */
  async connect(answerMs: number): Promise<Client> {
    const until = performance.now() + answerMs;
    const pause = new GrowingDelay(FIRST_WAIT_MS, LAST_WAIT_MS);
    for (;;) {
      try {
        return await this.connectOnce();
      } catch (error) {
        const pauseMs = pause.next();
        if (!this.#pool.isRefusal(error) || performance.now() + pauseMs >= until) throw error;
        // Otherwise the pool is full now, and its queue is the place to wait.
        if (this.#pool.open === 0) await sleep(pauseMs);
      }
    }
  }

  /** The same, and rejects when the server refuses another connection. */
  async connectOnce(): Promise<Client> {
    try {
      const client = await this.#pool.connect();
      // It was being opened when another one was refused.
      if (this.#pool.open > this.#pool.most) this.#resize(this.#pool.open);
      return client;
    } catch (error) {
      if (this.#pool.isRefusal(error)) this.#refused(error);
      throw error;
    }
  }

  /**
   * @param listener Is called with the numbers when the server refuses to let the pool grow. Is called at most once an
   * hour.
   */
  onShortage(listener: (shortage: DriverError) => void): () => void {
    this.#listeners.add(listener);
    if (this.#isLimited) listener(this.#shortage());
    return () => void this.#listeners.delete(listener);
  }

  #refused(error: unknown): void {
    this.#refusal = error;
    this.#isLimited = true;
    this.#hasGrown = false;
    this.#resize(Math.max(1, Math.min(this.#pool.most, this.#pool.open)));
    this.#report();
    this.#growLater();
  }

  #resize(most: number): void {
    this.#pool.most = most;
    this.#changed();
  }

  #growLater(): void {
    this.#timer ??= setTimeout(() => this.#grow(), this.#pause.next()).unref();
  }

  /** Lets the next caller try for one more connection. Ends the limit when no caller has needed the last one. */
  #grow(): void {
    const { open, most } = this.#pool;
    this.#timer = null;
    if (open >= most && this.#hasGrown) this.#pause.reset();
    this.#isLimited = open >= most && most < this.most;
    this.#hasGrown = this.#isLimited;
    if (this.#isLimited) this.#growLater();
    this.#resize(this.#isLimited ? most + 1 : this.most);
  }

  #report(): void {
    if (performance.now() < this.#reportedUntil || this.#listeners.size === 0) return;
    this.#reportedUntil = performance.now() + REPORTED_MS;
    setTimeout(() => {
      const shortage = this.#shortage();
      for (const listener of this.#listeners) listener(shortage);
    }, GATHER_MS).unref();
  }

  #shortage(): DriverError {
    const { message } = Object(this.#refusal);
    return new DriverError(
      'OutOfResources',
      `The server accepts no more than ${this.now} connections of a pool that may open ${this.most}, so at most ${Math.max(0, this.now - 1)} runs go on at once. Raise the server's limit, or lower the concurrency. ${message}`,
      { cause: this.#refusal },
    );
  }
}
