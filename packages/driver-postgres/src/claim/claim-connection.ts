import type { PoolClient } from 'pg';
import { type Pipeline, pipelineOf } from '../connection/pipeline/pipeline.js';

/** A connection that a claim session has taken from the pool, until it gives it back. */
export class ClaimConnection {
  readonly client: PoolClient;
  readonly pipeline: Pipeline;
  /** Whether a handler may have changed the session for the connection's next user. */
  isChanged = false;
  /** Is called when the connection is lost. */
  onLost: (error: Error) => void = () => {};

  constructor(client: PoolClient, isOwn: boolean) {
    this.client = client;
    this.pipeline = pipelineOf(client, isOwn);
    client.on('error', this.#lost);
    client.on('end', this.#lost);
  }

  /** Gives it back to the pool, which closes it if it is broken or changed. */
  release(isBroken: boolean): void {
    this.client.off('error', this.#lost);
    this.client.off('end', this.#lost);
    this.client.release(isBroken || this.isChanged);
  }

  readonly #lost = (error?: Error): void => this.onLost(error ?? new Error('The connection ended.'));
}
