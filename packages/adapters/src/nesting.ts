import { InvalidInputError } from '@rowlock/core';

const NESTED = 'rowlock_nested';

const BEGIN = /^\s*(?:begin|start\s+transaction)\b([^;]*)/i;
const PLAIN = /^\s*(?:work|transaction)?\s*$/i;
const SET_MODE = /^\s*set\s+transaction\b([^;]*)/i;
const COMMIT = /^\s*(?:commit|end)\b/i;
const ROLLBACK = /^\s*rollback\b(?!(?:\s+(?:work|transaction))?\s+to\b)/i;
const SAVEPOINT = /^\s*savepoint\s+(\S+?)\s*;?\s*$/i;
const ENDS_SAVEPOINT =
  /^\s*(?:release|rollback(?:\s+(?:work|transaction))?\s+to)(?:\s+savepoint)?\s+(\S+?)\s*;?\s*$/i;

/** How a statement is sent. */
export interface Turns {
  send<Answer>(text: string, send: (text: string) => Promise<Answer>): Promise<Answer>;
}

/**
 * For an ORM's transaction that is the claim's own, which the ORM begins and never ends. Those within it are the ORM's savepoints. Two
 * at once may have one name: the server would undo the first one with the second, or release the wrong one.
 */
export class Standing implements Turns {
  /** The names of the open savepoints. */
  readonly #open: string[] = [];

  /** Sends a statement in the form that it has in the claim's transaction. @throws InvalidInputError */
  async send<Answer>(text: string, send: (text: string) => Promise<Answer>): Promise<Answer> {
    if (BEGIN.test(text)) return send('SELECT 1');
    const [, begun] = SAVEPOINT.exec(text) ?? [];
    if (begun !== undefined) return this.#begin(begun, () => send(text));
    const [, ended] = ENDS_SAVEPOINT.exec(text) ?? [];
    if (ended !== undefined) this.#end(ended);
    return send(text);
  }

  async #begin<Answer>(name: string, send: () => Promise<Answer>): Promise<Answer> {
    if (this.#open.includes(name)) throw isOpen();
    this.#open.push(name);
    try {
      return await send();
    } catch (error) {
      this.#end(name);
      throw error;
    }
  }

  /** Those that began after it end with it. */
  #end(name: string): void {
    const place = this.#open.lastIndexOf(name);
    if (place !== -1) this.#open.length = place;
  }
}

/**
 * What an ORM sends to begin and to end a transaction, as a savepoint in the claim's transaction. Transactions within
 * that one are savepoints of the ORM's own.
 */
export class Nesting implements Turns {
  /** A transaction in which nothing was sent so far is new. */
  #state: 'none' | 'new' | 'open' = 'none';

  /** Sends a statement in the form that it has in the claim's transaction. @throws InvalidInputError */
  async send<Answer>(text: string, send: (text: string) => Promise<Answer>): Promise<Answer> {
    const [, mode] = BEGIN.exec(text) ?? [];
    if (mode !== undefined) return this.#begin(mode, send);
    const [, set] = SET_MODE.exec(text) ?? [];
    if (set !== undefined) throw this.#refuseMode(set);
    if (this.#state === 'none') return send(text);
    if (COMMIT.test(text)) {
      const answer = await send(`RELEASE SAVEPOINT ${NESTED}`);
      this.#state = 'none';
      return answer;
    }
    if (ROLLBACK.test(text)) {
      this.#state = 'none';
      return send(`ROLLBACK TO SAVEPOINT ${NESTED}`);
    }
    this.#state = 'open';
    return send(text);
  }

  async #begin<Answer>(mode: string, send: (text: string) => Promise<Answer>): Promise<Answer> {
    if (!PLAIN.test(mode)) throw modeRefused(mode);
    if (this.#state !== 'none') throw isOpen();
    this.#state = 'new';
    try {
      return await send(`SAVEPOINT ${NESTED}`);
    } catch (error) {
      this.#state = 'none';
      throw error;
    }
  }

  /** Some ORMs send the mode right behind the BEGIN, and no ROLLBACK when it is refused. Such a transaction has written nothing. */
  #refuseMode(mode: string): InvalidInputError {
    if (this.#state === 'new') this.#state = 'none';
    return modeRefused(mode);
  }
}

function modeRefused(mode: string): InvalidInputError {
  return new InvalidInputError(
    `A transaction within the claim's has the claim's isolation level and access mode: begin it without ${mode.trim()}.`,
  );
}

function isOpen(): InvalidInputError {
  return new InvalidInputError(
    "Another transaction within the claim's is open: await that first, or begin this one on the other's object.",
  );
}
