import { EventEmitter } from 'node:events';
import { InvalidInputError } from '@rowlock/core';
import type { PostgresHandle } from './handle.js';
import type { Turns } from './nesting.js';

type Done = (error: unknown, result?: unknown) => void;

/** The claim's transaction with the methods of a client of `pg`, by promises and by callbacks. */
export class PostgresClient extends EventEmitter {
  readonly #tx: PostgresHandle;
  readonly #turns: Turns;

  constructor(tx: PostgresHandle, turns: Turns) {
    super();
    this.#tx = tx;
    this.#turns = turns;
  }

  query(statement: unknown, given?: unknown, done?: Done): Promise<unknown> | undefined {
    const callback = [given, done].find((each): each is Done => typeof each === 'function');
    const answer = this.#send(statement, typeof given === 'function' ? undefined : given);
    if (callback === undefined) return answer;
    answer.then((result) => callback(null, result), callback);
    return undefined;
  }

  /** The claim ends its own connection. */
  release(): void {}

  end(): Promise<void> {
    return Promise.resolve();
  }

  async #send(statement: unknown, values: unknown): Promise<unknown> {
    const { text = statement, submit } = Object(statement);
    if (typeof submit === 'function')
      throw new InvalidInputError(
        "A handler's tx has no cursors and no streams: read the rows page by page.",
      );
    const query = (sent: string): Promise<unknown> =>
      Object(this.#tx).query(
        typeof statement === 'string' ? sent : { ...Object(statement), text: sent },
        values,
      );
    return this.#turns.send(String(text), query);
  }
}
