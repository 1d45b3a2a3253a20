import { EventEmitter } from 'node:events';
import type { MysqlHandle } from './handle.js';
import type { Turns } from './nesting.js';
import { refusedStream } from './refused-stream.js';

type Done = (error: unknown, result?: unknown, fields?: unknown) => void;

/** The claim's transaction with the methods of a connection of `mysql2`, by promises and by callbacks. */
export class MysqlConnection extends EventEmitter {
  readonly #tx: MysqlHandle;
  readonly #turns: Turns;

  constructor(tx: MysqlHandle, turns: Turns) {
    super();
    this.#tx = tx;
    this.#turns = turns;
  }

  query(statement: unknown, given?: unknown, done?: Done): Promise<unknown[]> | undefined {
    return this.#call('query', statement, given, done);
  }

  execute(statement: unknown, given?: unknown, done?: Done): Promise<unknown[]> | undefined {
    return this.#call('execute', statement, given, done);
  }

  /** The methods by promises are the same. */
  promise(): this {
    return this;
  }

  /** As of a connection by promises. */
  get connection(): this {
    return this;
  }

  /** The claim ends its own connection. */
  release(): void {}

  destroy(): void {}

  #call(
    method: 'query' | 'execute',
    statement: unknown,
    given?: unknown,
    done?: Done,
  ): Promise<unknown[]> | undefined {
    const callback = [given, done].find((each): each is Done => typeof each === 'function');
    const values = typeof given === 'function' ? undefined : given;
    const answer = this.#send(method, statement, values);
    if (callback === undefined) return withoutRows(answer);
    answer.then(([result, fields]) => callback(null, result, fields), callback);
    return undefined;
  }

  #send(method: 'query' | 'execute', statement: unknown, values: unknown): Promise<unknown[]> {
    const { sql = statement } = Object(statement);
    return this.#turns.send(String(sql), (sent) =>
      Object(this.#tx)[method](
        typeof statement === 'string' ? sent : { ...Object(statement), sql: sent },
        values,
      ),
    );
  }
}

/** An answer by callbacks is an emitter too, of which a library may ask the rows as a stream. */
function withoutRows<Answer>(answer: Promise<Answer>): Promise<Answer> {
  return Object.assign(answer, {
    on: () => answer,
    stream() {
      answer.catch(() => {});
      return refusedStream();
    },
  });
}
