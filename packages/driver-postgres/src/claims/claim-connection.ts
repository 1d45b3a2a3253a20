import { once } from 'node:events';
import type { PoolClient } from 'pg';
import { type Pipeline, pipelineOf } from '../connection/pipeline/pipeline.js';

/** A pooled connection that a claim session holds until `release`. */
export class ClaimConnection {
  readonly client: PoolClient;
  readonly pipeline: Pipeline;
  /** Whether a handler may have left changes in the session that outlast the transaction. */
  isChanged = false;
  /** Is called when the connection is lost. */
  onLost: (error: Error) => void = () => {};

  readonly #letGo: () => void;
  #isLost = false;

  /** @param letGo Is called when the connection is back. */
  constructor(client: PoolClient, isOwn: boolean, letGo: () => void) {
    this.client = client;
    this.#letGo = letGo;
    this.pipeline = pipelineOf(client, isOwn);
    client.on('error', this.#lost);
    client.on('end', this.#lost);
  }

  /** Gives the connection back to the pool. The pool closes a broken or changed one. */
  release(isBroken: boolean): void {
    this.client.off('error', this.#lost);
    this.client.off('end', this.#lost);
    this.client.release(isBroken || this.isChanged);
    this.#letGo();
  }

  /**
   * Resolves when the server is ready again behind a failed statement. The statement fails at the server's error, and the
   * server is ready only with its next answer. A pipelining client would send the next statement in between.
   * Tracing tools then lose the span of that statement.
   */
  async readyBehindFailure(): Promise<void> {
    // The client's own mark, which its types lack.
    const isReady = Reflect.get(this.client, 'readyForQuery') !== false;
    if (isReady || this.#isLost || !this.pipeline.sharesMessages) return;
    const over = new AbortController();
    const ends = ['drain', 'end'].map((event) => once(this.client, event, { signal: over.signal }));
    await Promise.race(ends).catch(() => {});
    over.abort();
  }

  readonly #lost = (error?: Error): void => {
    this.#isLost = true;
    this.onLost(error ?? new Error('The connection ended.'));
  };
}
