import type { PoolClient } from 'pg';
import { readyBehindError } from '../connection/connection.js';
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

  /** Resolves when the next statement may be sent behind a failed one: a pipelining client would send it before the server is ready. */
  async readyBehindFailure(): Promise<void> {
    if (!this.#isLost && this.pipeline.sharesMessages) await readyBehindError(this.client);
  }

  readonly #lost = (error?: Error): void => {
    this.#isLost = true;
    this.onLost(error ?? new Error('The connection ended.'));
  };
}
