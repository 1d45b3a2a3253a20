import { EventEmitter } from 'node:events';
import type { PostgresHandle } from './handle.js';
import type { Turns } from './nesting.js';
import { refusedStream, streamRefused } from './refused-stream.js';

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

  /** @throws InvalidInputError for a cursor, at once: its library calls it before it awaits anything */
  query(statement: unknown, given?: unknown, done?: Done): unknown {
    const { submit, pipe } = Object(statement);
    if (typeof submit === 'function') {
      if (typeof pipe === 'function') return refusedStream();
      throw streamRefused();
    }
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
    const { text = statement } = Object(statement);
    const query = (sent: string): Promise<unknown> =>
      Object(this.#tx).query(
        typeof statement === 'string' ? sent : { ...Object(statement), text: sent },
        values,
      );
    return this.#turns.send(String(text), query);
  }
}
